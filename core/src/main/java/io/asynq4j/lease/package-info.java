/**
 * Leases, to claim and settle tasks by hand in workers that are not a {@code TaskServer}.
 *
 * <p>Start with {@link io.asynq4j.lease.TaskLeases}. Most applications do not need this package: a
 * {@code TaskServer} claims, extends and settles automatically.
 */
@NullMarked
package io.asynq4j.lease;

import org.jspecify.annotations.NullMarked;
