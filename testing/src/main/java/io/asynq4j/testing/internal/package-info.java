/** The Redis, the clock and the worker of the test kit. Not an API. */
@NullMarked
package io.asynq4j.testing.internal;

import org.jspecify.annotations.NullMarked;
