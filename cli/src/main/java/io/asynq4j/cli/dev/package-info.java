/** A Redis, a server with demo handlers and a demo load, by one command. */
@NullMarked
package io.asynq4j.cli.dev;

import org.jspecify.annotations.NullMarked;
