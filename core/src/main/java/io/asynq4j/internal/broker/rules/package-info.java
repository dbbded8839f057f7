/** Rules that callers pass to the broker: limits of queues, archives, crashes and durability. */
@NullMarked
package io.asynq4j.internal.broker.rules;

import org.jspecify.annotations.NullMarked;
