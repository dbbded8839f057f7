/** The vocabulary: what a task is, what can be asked of it, and what can go wrong. */
@NullMarked
package io.asynq4j;

import org.jspecify.annotations.NullMarked;
