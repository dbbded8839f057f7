package io.asynq4j.spring;

import io.asynq4j.spring.internal.DefaultBeanRegistrar;
import io.asynq4j.spring.internal.ServerRegistry;
import io.asynq4j.spring.internal.TaskBeanIndex;
import io.asynq4j.spring.internal.TaskBeanRunner;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * The beans that {@link EnableAsynq} adds.
 *
 * <table>
 *   <caption>Beans</caption>
 *   <tr><th>type</th><th>replaced by a bean of this type</th></tr>
 *   <tr><td>{@code TaskClient}, {@code Inspector}, {@code Scheduler}</td><td>yes</td></tr>
 *   <tr><td>{@code TaskType} of each handler method with a payload</td><td>yes, with its name</td></tr>
 *   <tr><td>{@link TaskTypes}, {@link TaskServers}</td><td>no</td></tr>
 * </table>
 *
 * <p>The scheduler is started and stopped with the context, also if the application defines it, and
 * must not be started otherwise.
 *
 * <p>It uses these beans of the application:
 *
 * <ul>
 *   <li>{@code RedisConnection}: required
 *   <li>methods and classes with {@link TaskHandler}, {@link ScheduledTask} and {@link
 *       TaskAggregator}; {@code Mux}, {@code TaskType}, {@code ScheduleEntry}
 *   <li>{@code Middleware}, around all handlers, in the order of {@code @Order}
 *   <li>{@link TaskServerDefinition}, {@link TaskServerDefinition.Source}, {@link
 *       TaskServerCustomizer}, {@link SchedulerCustomizer}, {@link AsynqSettings}
 * </ul>
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class AsynqConfiguration {

  /** Registers beans of types that the application does not define itself. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static DefaultBeanRegistrar asynqDefaultBeanRegistrar() {
    return new DefaultBeanRegistrar();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  TaskBeanIndex asynqTaskTypes(DefaultListableBeanFactory factory) {
    return new TaskBeanIndex(factory);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  ServerRegistry asynqTaskServers() {
    return new ServerRegistry();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  TaskBeanRunner asynqTaskBeanRunner(
      DefaultListableBeanFactory factory, TaskBeanIndex index, ServerRegistry servers) {
    return new TaskBeanRunner(factory, index, servers);
  }
}
