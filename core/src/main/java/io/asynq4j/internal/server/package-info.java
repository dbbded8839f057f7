/** A server's engine: start, stop, lease renewal and presence. */
@NullMarked
package io.asynq4j.internal.server;

import org.jspecify.annotations.NullMarked;
