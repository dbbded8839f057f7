/** {@code asynq dev}: Redis, a server with demo handlers and a demo load. */
@NullMarked
package io.asynq4j.cli.dev;

import org.jspecify.annotations.NullMarked;
