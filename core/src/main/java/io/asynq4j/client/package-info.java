/** Puts tasks into queues. */
@NullMarked
package io.asynq4j.client;

import org.jspecify.annotations.NullMarked;
