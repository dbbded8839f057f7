package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

record TaskRefRecord(
    String id, QueueName queue, Task task, int retried, int maxRetry, @Nullable Duration waited)
    implements ServerListener.TaskRef {}
