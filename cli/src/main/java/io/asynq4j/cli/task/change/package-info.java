/** Commands that change single tasks. */
@NullMarked
package io.asynq4j.cli.task.change;

import org.jspecify.annotations.NullMarked;
