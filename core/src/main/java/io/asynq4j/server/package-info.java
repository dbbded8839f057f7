/** The server that processes tasks. */
@NullMarked
package io.asynq4j.server;

import org.jspecify.annotations.NullMarked;
