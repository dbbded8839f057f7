/** The parts of one command: keys, arguments, replies and resend policy. */
@NullMarked
package io.asynq4j.internal.redis.command;

import org.jspecify.annotations.NullMarked;
