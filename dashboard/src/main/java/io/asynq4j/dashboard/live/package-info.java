/** Snapshots of Redis, their history, and live updates. */
@NullMarked
package io.asynq4j.dashboard.live;

import org.jspecify.annotations.NullMarked;
