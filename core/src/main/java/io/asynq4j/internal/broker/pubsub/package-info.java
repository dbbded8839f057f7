/** Messages that processes send to each other through the store. */
@NullMarked
package io.asynq4j.internal.broker.pubsub;

import org.jspecify.annotations.NullMarked;
