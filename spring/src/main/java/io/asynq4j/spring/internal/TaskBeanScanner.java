package io.asynq4j.spring.internal;

import io.asynq4j.spring.InvalidTaskBeansException;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskAggregator;
import io.asynq4j.spring.TaskHandler;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the annotations of this module in the definitions of beans, without creating the beans, so
 * that lazy and scoped beans are found too.
 */
final class TaskBeanScanner {

  private static final Logger log = LoggerFactory.getLogger(TaskBeanScanner.class);

  private static final List<Class<? extends Annotation>> ANNOTATIONS =
      List.of(TaskHandler.class, ScheduledTask.class, TaskAggregator.class);

  private TaskBeanScanner() {}

  /** A method with annotations of this module. */
  record AnnotatedMethod(BeanMethod method, List<Annotation> annotations) {}

  /** A class, or a method that creates a bean, with handler annotations. */
  record AnnotatedBean(String beanName, Class<?> type, Set<TaskHandler> annotations) {}

  /** What was found, in the order of the definitions of the beans. */
  record Found(List<AnnotatedMethod> methods, List<AnnotatedBean> beans) {}

  static Found scan(ConfigurableListableBeanFactory factory) {
    Found found = new Found(new ArrayList<>(), new ArrayList<>());
    for (String name : factory.getBeanNamesForType(Object.class, true, false)) {
      Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetClass(factory, name);
      if (type == null) {
        continue;
      }
      methods(name, type).forEach(found.methods()::add);
      Set<TaskHandler> ofBean = factory.findAllAnnotationsOnBean(name, TaskHandler.class, false);
      if (!ofBean.isEmpty()) {
        found.beans().add(new AnnotatedBean(name, type, ofBean));
      }
    }
    return found;
  }

  /** Returns the class of a bean behind its proxies; null if it is not known without a bean. */
  static @Nullable Class<?> targetClass(ConfigurableListableBeanFactory factory, String name) {
    try {
      Class<?> type = declaredClass(factory, name);
      if (type != null && ScopedObject.class.isAssignableFrom(type)) {
        type = declaredClass(factory, ScopedProxyUtils.getTargetBeanName(name));
      }
      return type == null ? null : ClassUtils.getUserClass(behindProxy(factory, name, type));
    } catch (RuntimeException | LinkageError e) {
      // Such as an optional library that is missing: the bean itself may never be created.
      log.debug("bean \"{}\" is not searched for handlers, since its class is unknown", name, e);
      return null;
    }
  }

  private static @Nullable Class<?> declaredClass(
      ConfigurableListableBeanFactory factory, String name) {
    if (factory.containsBeanDefinition(name)
        && factory
                .getMergedBeanDefinition(name)
                .getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
            instanceof Class<?> proxied) {
      return proxied;
    }
    return factory.getType(name, /* allowFactoryBeanInit= */ false);
  }

  /** Returns the class behind a proxy of interfaces that a post-processor made. */
  private static Class<?> behindProxy(
      ConfigurableListableBeanFactory factory, String name, Class<?> type) {
    if (!Proxy.isProxyClass(type)) {
      return type;
    }
    if (factory.containsSingleton(name)) {
      Class<?> target = AopProxyUtils.ultimateTargetClass(factory.getBean(name));
      if (!Proxy.isProxyClass(target)) {
        return target;
      }
    }
    Class<?> defined =
        factory.containsBeanDefinition(name)
            ? factory.getMergedBeanDefinition(name).getResolvableType().resolve()
            : null;
    return defined == null || FactoryBean.class.isAssignableFrom(defined) ? type : defined;
  }

  static List<AnnotatedMethod> methods(String beanName, Class<?> type) {
    if (!AnnotationUtils.isCandidateClass(type, ANNOTATIONS)
        || type.getName().startsWith("org.springframework.")) {
      return List.of();
    }
    Map<Method, List<Annotation>> found;
    try {
      found =
          MethodIntrospector.selectMethods(
              type,
              (MethodIntrospector.MetadataLookup<@Nullable List<Annotation>>)
                  method -> annotations(new BeanMethod(beanName, type, method)));
    } catch (InvalidTaskBeansException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      log.debug(
          "bean \"{}\" is not searched for handlers, since a signature of its class refers to a missing class",
          beanName,
          e);
      return List.of();
    }
    List<AnnotatedMethod> methods = new ArrayList<>();
    found.forEach(
        (method, annotations) ->
            methods.add(new AnnotatedMethod(new BeanMethod(beanName, type, method), annotations)));
    // Java returns the methods of a class in no particular order.
    methods.sort(Comparator.comparing(annotated -> annotated.method().where()));
    return methods;
  }

  private static @Nullable List<Annotation> annotations(BeanMethod method) {
    try {
      // The annotation of a @Bean method belongs to the bean that it creates.
      return AnnotatedElementUtils.hasAnnotation(method.method(), Bean.class)
          ? null
          : annotations(method.method());
    } catch (AnnotationConfigurationException e) {
      throw new InvalidTaskBeansException(
          List.of(
              "%s: the annotation is not valid: %s Set one of them"
                  .formatted(method.where(), e.getMessage())));
    }
  }

  private static @Nullable List<Annotation> annotations(Method method) {
    MergedAnnotations all = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    List<Annotation> found = new ArrayList<>();
    for (Class<? extends Annotation> type : ANNOTATIONS) {
      found.addAll(nearest(all, type));
    }
    return found.isEmpty() ? null : found;
  }

  /**
   * Returns the annotations of the method itself, or else those of the method that it overrides.
   */
  private static <A extends Annotation> List<A> nearest(MergedAnnotations all, Class<A> type) {
    List<MergedAnnotation<A>> found = all.stream(type).toList();
    int nearest = found.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
    return found.stream()
        .filter(annotation -> annotation.getAggregateIndex() == nearest)
        .map(MergedAnnotation::synthesize)
        .toList();
  }
}
