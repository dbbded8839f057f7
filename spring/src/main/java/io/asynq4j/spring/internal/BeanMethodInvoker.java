package io.asynq4j.spring.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

/**
 * Calls a method of a bean through its proxy. The bean is looked up for each call, so that lazy
 * beans are created by the first call and prototypes by each. Thread-safe.
 */
final class BeanMethodInvoker {

  /** Scopes that exist only on threads of a web server. */
  private static final Set<String> WEB_SCOPES = Set.of("request", "session", "websocket");

  private final ConfigurableListableBeanFactory factory;
  private final BeanMethod method;
  private volatile @Nullable Invocable last;

  private record Invocable(Class<?> beanType, Method method) {}

  BeanMethodInvoker(ConfigurableListableBeanFactory factory, BeanMethod method) {
    this.factory = factory;
    this.method = method;
  }

  Class<?> returnType() {
    return method.method().getReturnType();
  }

  /** Returns what the method returns, or throws what it throws. */
  @Nullable Object invoke(@Nullable Object... arguments) throws Exception {
    Object bean = factory.getBean(method.beanName());
    try {
      return invocable(bean.getClass()).invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getTargetException();
      // Proxies wrap checked exceptions that an interface does not declare.
      while (thrown instanceof UndeclaredThrowableException wrapped
          && wrapped.getUndeclaredThrowable() != null) {
        thrown = wrapped.getUndeclaredThrowable();
      }
      throw BeanMethodInvoker.<Exception>asThrown(thrown);
    }
  }

  /** Lets the caller throw errors, and classes of the application that are no exceptions, too. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E asThrown(Throwable thrown) throws E {
    throw (E) thrown;
  }

  private Method invocable(Class<?> beanType) {
    Invocable known = last;
    if (known != null && known.beanType() == beanType) {
      return known.method();
    }
    Method found = AopUtils.selectInvocableMethod(method.method(), beanType);
    ReflectionUtils.makeAccessible(found);
    last = new Invocable(beanType, found);
    return found;
  }

  /** Checks what is known from the class alone. */
  void checkDeclaration(ProblemList problems) {
    int modifiers = method.method().getModifiers();
    if (Modifier.isStatic(modifiers)) {
      problems.add(
          method.where(), "the method is static, so it belongs to no bean: remove \"static\"");
    } else if (Modifier.isPrivate(modifiers)) {
      problems.add(
          method.where(),
          "the method is private, so the proxies of Spring cannot call it: make it package-private, protected or public");
    }
    if (AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
        || AnnotatedElementUtils.hasAnnotation(method.type(), Async.class)) {
      problems.add(
          method.where(),
          "the method has @Async, so that an attempt would end before its work, and never fail: remove @Async, since a server has its own threads");
    }
    checkScope(factory, method.beanName(), method.where(), problems);
  }

  /** Checks that the bean exists outside of requests to a web server. */
  static void checkScope(
      ConfigurableListableBeanFactory factory,
      String beanName,
      String where,
      ProblemList problems) {
    String target = ScopedProxyUtils.getTargetBeanName(beanName);
    String name = factory.containsBeanDefinition(target) ? target : beanName;
    String scope =
        factory.containsBeanDefinition(name)
            ? factory.getMergedBeanDefinition(name).getScope()
            : null;
    if (scope != null && WEB_SCOPES.contains(scope)) {
      problems.add(
          where,
          "the bean has scope \"%s\", which does not exist on the threads of a server: make it a singleton or a prototype, and pass what it needs in the payload or the headers of the task"
              .formatted(scope));
    }
  }

  /** Checks that the proxy of the bean has the method. Call it when singletons exist. */
  void checkProxy(ProblemList problems) {
    Class<?> beanType =
        factory.containsSingleton(method.beanName())
            ? factory.getBean(method.beanName()).getClass()
            : factory.getType(method.beanName(), false);
    int modifiers = method.method().getModifiers();
    if (beanType == null || Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
      return;
    }
    if (Proxy.isProxyClass(beanType)) {
      try {
        AopUtils.selectInvocableMethod(method.method(), beanType);
      } catch (IllegalStateException e) {
        problems.add(
            method.where(),
            "the bean is a proxy of its interfaces, which do not have this method: declare it in an interface of the bean, or proxy the class (proxyTargetClass = true)");
      }
    } else if (SpringProxy.class.isAssignableFrom(beanType) && Modifier.isFinal(modifiers)) {
      problems.add(
          method.where(),
          "the method is final, so the proxy of the bean cannot intercept it and would call it on an object without fields: remove \"final\"");
    }
  }
}
