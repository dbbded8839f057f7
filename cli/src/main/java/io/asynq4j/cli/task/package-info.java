/** Commands for tasks. */
@NullMarked
package io.asynq4j.cli.task;

import org.jspecify.annotations.NullMarked;
