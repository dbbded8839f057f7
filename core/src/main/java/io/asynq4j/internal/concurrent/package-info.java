/** Threads and signals shared by client, server and scheduler. */
@NullMarked
package io.asynq4j.internal.concurrent;

import org.jspecify.annotations.NullMarked;
