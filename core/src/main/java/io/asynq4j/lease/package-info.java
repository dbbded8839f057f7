/**
 * Claiming and settling tasks by hand, for workers that are not a {@code TaskServer}.
 *
 * <p>Start with {@link io.asynq4j.lease.TaskLeases}. Most applications need none of this: a {@code
 * TaskServer} claims, extends and settles automatically.
 */
@NullMarked
package io.asynq4j.lease;

import org.jspecify.annotations.NullMarked;
