/** Sockets, nodes, Sentinel, Cluster, TLS, and handling of failed calls. */
@NullMarked
package io.asynq4j.internal.redis.connection;

import org.jspecify.annotations.NullMarked;
