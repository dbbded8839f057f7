package io.asynq4j.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Combines the tasks of a group into one task.
 *
 * <pre>{@code
 * @TaskAggregator(type = "notification", into = "digest")
 * Digest digest(List<Notification> notifications) { … }
 *
 * @TaskAggregator(group = "orders:*")
 * Task merge(List<Task> orders) { … }
 * }</pre>
 *
 * <p>The method has a parameter {@code List<T>} with the payloads, or {@code List<Task>}, and may
 * have a parameter {@code String} for the name of the group. It returns a {@code Task}, a {@code
 * GroupAggregator.Aggregated}, or the payload of a task of type {@link #into}.
 *
 * <p>All texts may have placeholders.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(TaskAggregator.Several.class)
public @interface TaskAggregator {

  /** Pattern of the names of groups, such as {@code digest:*}. Takes precedence over types. */
  String group() default "";

  /** Name of the task type whose tasks are combined. */
  String type() default "";

  /**
   * Name of the task type that the returned payload is for. Default: the only known type with this
   * payload.
   */
  String into() default "";

  /** Name of the server that combines the tasks. Default: each server. */
  String server() default "";

  /** Several kinds of groups for one method. */
  @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @Documented
  @interface Several {

    TaskAggregator[] value();
  }
}
