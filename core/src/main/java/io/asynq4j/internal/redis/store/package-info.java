/** The broker on Redis and its connection; one package per topic implements the operations. */
@NullMarked
package io.asynq4j.internal.redis.store;

import org.jspecify.annotations.NullMarked;
