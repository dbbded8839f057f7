/** Access to the terminal. */
@NullMarked
package io.asynq4j.cli.dash.terminal;

import org.jspecify.annotations.NullMarked;
