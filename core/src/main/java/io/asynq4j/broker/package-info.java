/**
 * The port: everything that is done to tasks in the store, as small interfaces. Not exported; for
 * the packages of this library alone.
 */
@NullMarked
package io.asynq4j.broker;

import org.jspecify.annotations.NullMarked;
