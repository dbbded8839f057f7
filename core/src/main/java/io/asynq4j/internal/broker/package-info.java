/**
 * The port between the library and its store: what can be done to tasks, as small interfaces and
 * records.
 */
@NullMarked
package io.asynq4j.internal.broker;

import org.jspecify.annotations.NullMarked;
