/** The problems that requests can have. */
@NullMarked
package io.asynq4j.dashboard.internal.problem;

import org.jspecify.annotations.NullMarked;
