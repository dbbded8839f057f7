/**
 * Redis implementation of the broker: enqueue, claim, settle, upkeep, inspection, schedules and
 * presence.
 */
@NullMarked
package io.asynq4j.internal.redis.store;

import org.jspecify.annotations.NullMarked;
