/** Sockets, nodes, Sentinel, Cluster, TLS, and what is done when a call fails. */
@NullMarked
package io.asynq4j.internal.redis.connection;

import org.jspecify.annotations.NullMarked;
