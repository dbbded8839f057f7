/**
 * Reading and operating queues, tasks, servers and schedules.
 *
 * <p>Start with {@link io.asynq4j.inspect.Inspector}; {@link io.asynq4j.inspect.QueueInspector} has
 * the tasks of one queue. Snapshots describe queues, servers and schedules at one instant; {@link
 * io.asynq4j.inspect.Selection} chooses many tasks to act on; {@link io.asynq4j.inspect.Diagnosis}
 * lists inconsistencies.
 */
@NullMarked
package io.asynq4j.inspect;

import org.jspecify.annotations.NullMarked;
