/**
 * The Redis servers of a cluster as a task server uses them: topology, outages, and isolation of
 * each.
 */
@NullMarked
package io.asynq4j.internal.server.shard;

import org.jspecify.annotations.NullMarked;
