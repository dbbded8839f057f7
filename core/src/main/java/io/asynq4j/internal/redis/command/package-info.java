/** The parts of one command: keys, arguments, replies, and whether it may be sent again. */
@NullMarked
package io.asynq4j.internal.redis.command;

import org.jspecify.annotations.NullMarked;
