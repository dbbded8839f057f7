/** Options and arguments of the task commands. */
@NullMarked
package io.asynq4j.cli.task.option;

import org.jspecify.annotations.NullMarked;
