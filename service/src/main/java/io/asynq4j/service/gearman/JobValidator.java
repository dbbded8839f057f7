package io.asynq4j.service.gearman;

import io.asynq4j.Payload;
import io.asynq4j.definition.TaskDefinition;
import java.util.Optional;

/**
 * Has a say in which jobs are taken in, as by the schema of their params. Called by one thread of
 * the gateway, for one job after the other: what takes long holds up the others.
 */
@FunctionalInterface
public interface JobValidator {

  /** Why this job is not taken in, in words for its client; empty when it is. */
  Optional<String> refusal(TaskDefinition definition, Payload payload);
}
