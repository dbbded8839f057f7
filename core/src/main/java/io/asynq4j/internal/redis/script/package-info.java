/** The Lua scripts and their execution. */
@NullMarked
package io.asynq4j.internal.redis.script;

import org.jspecify.annotations.NullMarked;
