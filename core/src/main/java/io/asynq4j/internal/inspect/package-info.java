/**
 * Implementation of the inspector: bulk operations, scans, moves, and snapshots of servers and
 * schedules.
 */
@NullMarked
package io.asynq4j.internal.inspect;

import org.jspecify.annotations.NullMarked;
