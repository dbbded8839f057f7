/**
 * Task definitions: central settings of task names, stored in Redis and shared by all processes.
 *
 * <p>Start with {@link io.asynq4j.definition.TaskDefinitions}, which reads and writes them. A
 * {@link io.asynq4j.definition.TaskDefinition} has the settings of one name. Applications that
 * declare their task types in code do not need this package.
 */
@NullMarked
package io.asynq4j.definition;

import org.jspecify.annotations.NullMarked;
