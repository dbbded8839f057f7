/** The Lua scripts and how they are run. */
@NullMarked
package io.asynq4j.internal.redis.script;

import org.jspecify.annotations.NullMarked;
