/**
 * The task service: tasks submitted, executed and leased over HTTP.
 *
 * <p>Start with {@link io.asynq4j.service.TaskService}, which runs one replica by a {@link
 * io.asynq4j.service.ServiceConfig}; {@link io.asynq4j.service.ServiceProcess} runs it as a
 * process. {@link io.asynq4j.service.TaskServiceClient} submits tasks from Java. All other packages
 * are internal, except {@code gearman} and {@code definition.FollowUpMiddleware}.
 */
@NullMarked
package io.asynq4j.service;

import org.jspecify.annotations.NullMarked;
