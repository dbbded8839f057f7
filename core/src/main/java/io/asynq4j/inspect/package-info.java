/**
 * Looking at queues and tasks, and operating on them.
 *
 * <p>Start with {@link io.asynq4j.inspect.Inspector}. Snapshots describe queues, servers and
 * schedules at one instant; {@link io.asynq4j.inspect.Selection} chooses many tasks to act on;
 * {@link io.asynq4j.inspect.Diagnosis} lists inconsistencies.
 */
@NullMarked
package io.asynq4j.inspect;

import org.jspecify.annotations.NullMarked;
