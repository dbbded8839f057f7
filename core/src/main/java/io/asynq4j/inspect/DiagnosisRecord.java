package io.asynq4j.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

record DiagnosisRecord(
    Instant startedAt,
    Instant endedAt,
    long examined,
    List<Finding> findings,
    List<String> problems,
    @Nullable String resumeFrom)
    implements Diagnosis {}
