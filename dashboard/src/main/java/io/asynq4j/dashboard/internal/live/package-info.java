/** Snapshots of Redis, their history, and live updates. */
@NullMarked
package io.asynq4j.dashboard.internal.live;

import org.jspecify.annotations.NullMarked;
