package io.asynq4j.lease;

import io.asynq4j.TaskInfo.Progress;

/** How far a worker has come with a task that it has leased. Immutable. */
public record LeaseProgress(LeasedTask task, Progress progress) {}
