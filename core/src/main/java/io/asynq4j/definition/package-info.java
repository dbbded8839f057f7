/**
 * Central settings of task names, stored in Redis and shared by all processes that use it.
 *
 * <p>Start with {@link io.asynq4j.definition.TaskDefinitions}, the list, and {@link
 * io.asynq4j.definition.TaskDefinition}, one entry of it. Applications that declare their types in
 * code need none of this.
 */
@NullMarked
package io.asynq4j.definition;

import org.jspecify.annotations.NullMarked;
