/** The part of the port that operators use: reading, changing and checking queues and tasks. */
@NullMarked
package io.asynq4j.internal.broker.inspect;

import org.jspecify.annotations.NullMarked;
