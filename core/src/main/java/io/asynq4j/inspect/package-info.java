/**
 * Inspectors, which read and change queues, tasks, servers and schedules.
 *
 * <p>Start with {@link io.asynq4j.inspect.Inspector}. A {@link io.asynq4j.inspect.QueueInspector}
 * is for one queue and its tasks. Snapshots describe queues, servers and schedules at one instant.
 * A {@link io.asynq4j.inspect.Selection} chooses many tasks for a bulk operation. A {@link
 * io.asynq4j.inspect.Diagnosis} has the findings of the doctor.
 */
@NullMarked
package io.asynq4j.inspect;

import org.jspecify.annotations.NullMarked;
