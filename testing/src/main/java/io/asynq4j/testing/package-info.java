/**
 * A test kit: a real Redis for tests, assertions on enqueued tasks, handlers that are run step by
 * step, and a clock that tests set.
 *
 * <p>Start with {@link io.asynq4j.testing.AsynqTest} and {@link io.asynq4j.testing.TestQueues}.
 * Without JUnit, start with {@link io.asynq4j.testing.AsynqTestEnvironment}.
 */
@NullMarked
package io.asynq4j.testing;

import org.jspecify.annotations.NullMarked;
