package io.asynq4j.spring.internal;

import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.InvalidTaskBeansException;
import io.asynq4j.spring.SchedulerCustomizer;
import java.util.List;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

/**
 * Registers a client, an inspector and a scheduler unless the application defines its own. They are
 * created when something needs them. Runs after all configuration classes have been read.
 */
public final class DefaultBeanRegistrar
    implements BeanDefinitionRegistryPostProcessor, EnvironmentAware {

  private static final String NO_CONNECTION =
      "no bean of type RedisConnection, so nothing can reach Redis: define one, such as"
          + " @Bean RedisConnection redis() { return"
          + " RedisConnection.open(\"redis://localhost:6379\"); }";

  private Environment environment = new StandardEnvironment();

  @Override
  public void setEnvironment(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory factory) {
      register(registry, factory, "asynqTaskClient", TaskClient.class, "taskClient");
      register(registry, factory, "asynqInspector", Inspector.class, "inspector");
      register(registry, factory, "asynqScheduler", Scheduler.class, "scheduler");
      TaskTypeBeans.register(registry, factory, environment);
    }
  }

  private static void register(
      BeanDefinitionRegistry registry,
      ConfigurableListableBeanFactory factory,
      String name,
      Class<?> type,
      String factoryMethod) {
    boolean isInAncestor =
        BeanFactoryUtils.beanNamesForTypeIncludingAncestors(factory, type, true, false).length > 0;
    // A scheduler has the entries of one context, which starts and stops it.
    boolean isDefined =
        type == Scheduler.class
            ? factory.getBeanNamesForType(type, true, false).length > 0
            : isInAncestor;
    if (isDefined) {
      return;
    }
    RootBeanDefinition definition = new RootBeanDefinition(DefaultBeanRegistrar.class);
    definition.setFactoryMethodName(factoryMethod);
    definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
    definition.setTargetType(type);
    definition.setLazyInit(true);
    definition.setPrimary(isInAncestor);
    definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
    registry.registerBeanDefinition(name, definition);
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {}

  static TaskClient taskClient(ObjectProvider<RedisConnection> redis) {
    return TaskClient.create(connection(redis));
  }

  static Inspector inspector(ObjectProvider<RedisConnection> redis) {
    return Inspector.create(connection(redis));
  }

  /** The thread of the scheduler, which calls sources of entries, gets its class loader here. */
  static Scheduler scheduler(
      ConfigurableListableBeanFactory factory,
      ObjectProvider<RedisConnection> redis,
      ObjectProvider<SchedulerCustomizer> customizers) {
    Scheduler.Builder builder = Scheduler.builder(connection(redis));
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return new ContextClassLoader(factory.getBeanClassLoader()).call(builder::build);
  }

  /**
   * Returns the connection of the application.
   *
   * @throws InvalidTaskBeansException if there is none, or several and none is primary
   */
  static RedisConnection connection(ObjectProvider<RedisConnection> redis) {
    try {
      RedisConnection connection = redis.getIfAvailable();
      if (connection == null) {
        throw new InvalidTaskBeansException(List.of(NO_CONNECTION));
      }
      return connection;
    } catch (NoUniqueBeanDefinitionException e) {
      throw new InvalidTaskBeansException(
          List.of(
              "several beans of type RedisConnection (%s), of which none is primary: mark one with @Primary"
                  .formatted(e.getBeanNamesFound())));
    }
  }
}
