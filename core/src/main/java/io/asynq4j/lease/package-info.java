/**
 * Claiming and settling tasks by hand, for workers that are no {@code TaskServer}.
 *
 * <p>Start with {@link io.asynq4j.lease.TaskLeases}. Most applications need none of this: a {@code
 * TaskServer} claims, extends and settles by itself.
 */
@NullMarked
package io.asynq4j.lease;

import org.jspecify.annotations.NullMarked;
