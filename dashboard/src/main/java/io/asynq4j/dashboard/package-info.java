/**
 * The dashboard: an HTTP API and web pages for queues, tasks, servers and schedules. Start with
 * {@link io.asynq4j.dashboard.Dashboard#builder}.
 */
@NullMarked
package io.asynq4j.dashboard;

import org.jspecify.annotations.NullMarked;
