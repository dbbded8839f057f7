/** The stored form of task definitions, and the cache of them that servers and services share. */
@NullMarked
package io.asynq4j.internal.definition;

import org.jspecify.annotations.NullMarked;
