package io.asynq4j.spring.internal;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskType;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.internal.TaskBeanScanner.AnnotatedMethod;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * Registers the task types of handler methods as beans, so that they can be injected by payload or
 * by name. Beans of the application have precedence.
 *
 * <p>They are registered when a context starts, also in one that was generated ahead of time: code
 * of this package could not refer to payloads that are not public.
 */
final class TaskTypeBeans {

  /** Name of the bean of type {@link TaskBeanIndex}, whose method creates them. */
  static final String INDEX_BEAN = "asynqTaskTypes";

  private static final String PREFIX = "asynqTaskType.";

  private TaskTypeBeans() {}

  static boolean isOfHandler(String beanName) {
    return beanName.startsWith(PREFIX);
  }

  static void register(
      BeanDefinitionRegistry registry,
      ConfigurableListableBeanFactory factory,
      Environment environment) {
    for (AnnotatedMethod method : TaskBeanScanner.scan(factory).methods()) {
      for (Annotation annotation : method.annotations()) {
        if (annotation instanceof TaskHandler handler && !handler.name().isEmpty()) {
          // Problems are reported later.
          HandlerSignature.of(method.method(), new ProblemList())
              .flatMap(TaskTypeBeans::beanType)
              .ifPresent(type -> register(registry, environment, handler.name(), type));
        }
      }
    }
  }

  private static Optional<ResolvableType> beanType(HandlerSignature signature) {
    Type payload = signature.payload();
    Type result = signature.result();
    if (payload == null) {
      return Optional.empty();
    }
    ResolvableType input = ResolvableType.forType(payload);
    return Optional.of(
        result == null
            ? ResolvableType.forClassWithGenerics(TaskType.class, input)
            : ResolvableType.forClassWithGenerics(
                ResultTaskType.class, input, ResolvableType.forType(result)));
  }

  private static void register(
      BeanDefinitionRegistry registry, Environment environment, String name, ResolvableType type) {
    String bean = PREFIX + name;
    if (registry.containsBeanDefinition(bean)) {
      return;
    }
    RootBeanDefinition definition = new RootBeanDefinition();
    definition.setFactoryBeanName(INDEX_BEAN);
    definition.setFactoryMethodName("ofHandler");
    definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
    definition.setTargetType(type);
    definition.setLazyInit(true);
    definition.setFallback(true);
    definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
    definition.addQualifier(
        new AutowireCandidateQualifier(Qualifier.class, environment.resolvePlaceholders(name)));
    registry.registerBeanDefinition(bean, definition);
  }
}
