/** Key handling. */
@NullMarked
package io.asynq4j.cli.dash.input;

import org.jspecify.annotations.NullMarked;
