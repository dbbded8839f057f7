/** Commands for queues. */
@NullMarked
package io.asynq4j.cli.queue;

import org.jspecify.annotations.NullMarked;
