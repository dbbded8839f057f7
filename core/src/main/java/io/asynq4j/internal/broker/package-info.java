/**
 * The port between the library and its store: operations on tasks as small interfaces and records.
 */
@NullMarked
package io.asynq4j.internal.broker;

import org.jspecify.annotations.NullMarked;
