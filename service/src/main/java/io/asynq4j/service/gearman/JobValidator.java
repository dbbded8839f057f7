package io.asynq4j.service.gearman;

import io.asynq4j.Payload;
import io.asynq4j.definition.TaskDefinition;
import java.util.Optional;

/**
 * Validates submitted jobs, for example by the schema of their params. The jobs of the same Redis
 * servers are validated one after the other, so a slow validation delays other jobs. Jobs of
 * different servers of a cluster are validated at the same time: must be thread-safe.
 */
@FunctionalInterface
public interface JobValidator {

  /** The reason to refuse this job, for its client; empty when the job is accepted. */
  Optional<String> refusal(TaskDefinition definition, Payload payload);
}
