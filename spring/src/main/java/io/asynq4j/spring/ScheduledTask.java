package io.asynq4j.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Enqueues a task without input at the times of a schedule, and handles it with this method. One
 * replica of the application enqueues, and any replica may run the task.
 *
 * <pre>{@code
 * @ScheduledTask(name = "nightly-digest", cron = "0 3 * * *", zone = "Europe/Oslo", missed = RUN_ONCE)
 * void digest() { … }
 * }</pre>
 *
 * <p>The method may have the parameters of a {@link TaskHandler} other than a payload, and returns
 * the same. The entry and the task have the same name. All texts may have placeholders.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(ScheduledTask.Several.class)
public @interface ScheduledTask {

  /** The value of {@link #cron} or {@link #every} of a method that is not to be scheduled. */
  String DISABLED = "-";

  /** Name of the entry, unique on this Redis, and of its task. */
  String name();

  /** Cron expression with five fields, or a descriptor such as {@code @daily}. */
  String cron() default "";

  /** Interval instead of a cron expression, such as {@code 15m}. */
  String every() default "";

  /** Time zone of {@link #cron}, such as {@code Europe/Oslo}. Default: UTC. */
  String zone() default "";

  /** What happens to instants that no scheduler fired in time. Default: they are skipped. */
  Missed missed() default Missed.SKIP;

  /** Maximum number of missed instants that {@link Missed#RUN_ALL} fires. Default: 100. */
  int mostMissed() default 100;

  /** Name of the server that runs the method. Default: any. */
  String server() default "";

  /** Queue of the task. Default: {@code default}. */
  String queue() default "";

  /** Maximum number of retries. Default: 25. */
  int maxRetry() default -1;

  /** Time limit of one attempt. Default: 30 minutes. */
  String timeout() default "";

  /** How long no further task of this name can be enqueued. Default: not unique. */
  String uniqueFor() default "";

  /** How long a task and its result are kept after success. Default: not at all. */
  String retention() default "";

  /** What happens to missed instants; see {@code MissedPolicy}. */
  enum Missed {
    /** They are skipped. */
    SKIP,
    /** The task is enqueued once for all of them. */
    RUN_ONCE,
    /** The task is enqueued for each of them, in order. */
    RUN_ALL
  }

  /** Several entries for one method. */
  @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @Documented
  @interface Several {

    ScheduledTask[] value();
  }
}
