/** Attempts at tasks: running handlers, deciding outcomes, timeouts and failures. */
@NullMarked
package io.asynq4j.internal.server.attempt;

import org.jspecify.annotations.NullMarked;
