/** Arithmetic on times that does not overflow. */
@NullMarked
package io.asynq4j.internal.time;

import org.jspecify.annotations.NullMarked;
