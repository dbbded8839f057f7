/** The settings of a server and the queues that it serves. */
@NullMarked
package io.asynq4j.internal.server.config;

import org.jspecify.annotations.NullMarked;
