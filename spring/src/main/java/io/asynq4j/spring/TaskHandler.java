package io.asynq4j.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Handles the tasks of a type. On a method of a bean, or on a bean of type {@code Handler} or
 * {@code Action}: on its class, or on its {@code @Bean} method.
 *
 * <pre>{@code
 * @TaskHandler(value = "email:welcome", queue = "mail", maxRetry = 5, timeout = "30s")
 * Outcome welcome(WelcomeEmail mail, TaskContext context) { … }
 * }</pre>
 *
 * <p>The parameters of a method, in any order: one payload of any type that the codec can decode,
 * {@code TaskContext}, {@code Task}, and values of headers with {@link TaskHeader}. It returns an
 * {@code Outcome}, nothing, or the result of the task. It may throw any exception, which fails the
 * attempt.
 *
 * <p>Type and options come from the bean of type {@code TaskType} that {@link #bean} names, or
 * whose task name is {@link #name}. Without such a bean, they come from the parameter and the
 * attributes of this annotation, and the type of a method with a payload is a bean that can be
 * injected as {@code TaskType<WelcomeEmail>}. {@link TaskTypes} has all types.
 *
 * <p>All texts may have placeholders, such as {@code ${mail.queue}}. Durations are written as
 * {@code 90s}, {@code 1h30m}, {@code 7d} or {@code PT90S}.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(TaskHandler.Several.class)
public @interface TaskHandler {

  /** Name of the task type, such as {@code email:welcome}. Also handles names that start so. */
  @AliasFor("name")
  String value() default "";

  /** The same as {@link #value}. */
  @AliasFor("value")
  String name() default "";

  /** Name of a bean of type {@code TaskType}, instead of the name of the task type. */
  String bean() default "";

  /**
   * Name of the server that runs the handler. Default: each server runs it, for the queues that the
   * server serves.
   */
  String server() default "";

  /** Queue of the tasks. Default: {@code default}. */
  String queue() default "";

  /** Maximum number of retries. Default: 25. */
  int maxRetry() default -1;

  /** Time limit of one attempt. Default: 30 minutes. */
  String timeout() default "";

  /** How long no equal task can be enqueued. Default: not unique. */
  String uniqueFor() default "";

  /** How long a task and its result are kept after success. Default: not at all. */
  String retention() default "";

  /** Several task types for one handler. */
  @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @Documented
  @interface Several {

    TaskHandler[] value();
  }
}
