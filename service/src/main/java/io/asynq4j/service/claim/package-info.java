/** Claiming tasks for workers of other processes, whatever protocol they use. */
@NullMarked
package io.asynq4j.service.claim;

import org.jspecify.annotations.NullMarked;
