/** Commands that act on many tasks. */
@NullMarked
package io.asynq4j.cli.task.bulk;

import org.jspecify.annotations.NullMarked;
