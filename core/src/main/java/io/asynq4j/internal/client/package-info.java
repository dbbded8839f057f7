/**
 * How tasks of many callers reach Redis: dispatching, coalescing, batching, and bounds on what
 * waits.
 */
@NullMarked
package io.asynq4j.internal.client;

import org.jspecify.annotations.NullMarked;
