package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

record TaskPageRecord(
    List<TaskInfo> tasks, long looked, long total, @Nullable String cursor, List<String> unreadable)
    implements TaskPage {}
