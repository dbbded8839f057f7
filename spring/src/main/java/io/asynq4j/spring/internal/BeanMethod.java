package io.asynq4j.spring.internal;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A method of the class of a bean, behind any proxy.
 *
 * @param type the class of the bean, which may have inherited the method
 */
record BeanMethod(String beanName, Class<?> type, Method method) {

  /** Returns the bean and the method, for messages. */
  String where() {
    return "bean \"%s\", method %s".formatted(beanName, signature());
  }

  private String signature() {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(", ", type.getSimpleName() + "." + method.getName() + "(", ")"));
  }
}
