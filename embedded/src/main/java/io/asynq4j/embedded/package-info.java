/**
 * A real Redis as a child process, for development and tests. Start with {@link
 * io.asynq4j.embedded.EmbeddedRedis}.
 */
@NullMarked
package io.asynq4j.embedded;

import org.jspecify.annotations.NullMarked;
