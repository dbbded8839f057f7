/** Duties: the periodic background jobs of a server. */
@NullMarked
package io.asynq4j.internal.server.duty;

import org.jspecify.annotations.NullMarked;
