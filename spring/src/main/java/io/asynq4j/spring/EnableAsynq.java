package io.asynq4j.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Runs the methods with {@link TaskHandler}, {@link ScheduledTask} and {@link TaskAggregator} of
 * the beans of an application context. The context needs a bean of type {@code RedisConnection}.
 *
 * <pre>{@code
 * @Configuration
 * @ComponentScan
 * @EnableAsynq
 * class Application {
 *   @Bean
 *   RedisConnection redis() {
 *     return RedisConnection.open("redis://localhost:6379");
 *   }
 * }
 * }</pre>
 *
 * <p>{@link AsynqConfiguration} lists the beans that this adds, and how to replace them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(AsynqConfiguration.class)
public @interface EnableAsynq {}
