/** The stored form of task definitions. */
@NullMarked
package io.asynq4j.internal.definition;

import org.jspecify.annotations.NullMarked;
