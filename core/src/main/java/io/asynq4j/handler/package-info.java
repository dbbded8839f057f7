/** What runs when a task is processed. */
@NullMarked
package io.asynq4j.handler;

import org.jspecify.annotations.NullMarked;
