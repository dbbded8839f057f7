/** The {@code asynq} command. */
@NullMarked
package io.asynq4j.cli;

import org.jspecify.annotations.NullMarked;
