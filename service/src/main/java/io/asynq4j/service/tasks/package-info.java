/** Hosted tasks: HTTP calls and programs. */
@NullMarked
package io.asynq4j.service.tasks;

import org.jspecify.annotations.NullMarked;
