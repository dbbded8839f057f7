/**
 * Handlers, schedules and servers as beans of Spring. Start with {@link
 * io.asynq4j.spring.EnableAsynq}.
 */
@NullMarked
package io.asynq4j.spring;

import org.jspecify.annotations.NullMarked;
