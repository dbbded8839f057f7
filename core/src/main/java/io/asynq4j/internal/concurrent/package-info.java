/** Threads and signals that client, server and scheduler share. */
@NullMarked
package io.asynq4j.internal.concurrent;

import org.jspecify.annotations.NullMarked;
