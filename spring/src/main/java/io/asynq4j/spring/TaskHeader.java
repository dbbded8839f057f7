package io.asynq4j.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Passes the value of a header of the task to a parameter of type {@code String} or {@code
 * Optional<String>} of a handler method.
 *
 * <pre>{@code
 * @TaskHandler("email:welcome")
 * void welcome(WelcomeEmail mail, @TaskHeader("tenant") String tenant) { … }
 * }</pre>
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface TaskHeader {

  /** Name of the header. */
  String value();

  /**
   * Whether an attempt fails if its task does not have the header. Otherwise, a {@code String} is
   * null. Has no effect on an {@code Optional}. Default: true.
   */
  boolean required() default true;
}
