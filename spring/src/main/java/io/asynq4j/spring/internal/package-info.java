/**
 * What runs the annotated beans; not an API. Start with {@link
 * io.asynq4j.spring.internal.TaskBeanRunner}.
 */
@NullMarked
package io.asynq4j.spring.internal;

import org.jspecify.annotations.NullMarked;
