/** Data that the terminal dashboard reads from Redis. */
@NullMarked
package io.asynq4j.cli.dash.data;

import org.jspecify.annotations.NullMarked;
