/** The policy that turns results of handlers and decisions of workers into settlements. */
@NullMarked
package io.asynq4j.internal.outcome;

import org.jspecify.annotations.NullMarked;
