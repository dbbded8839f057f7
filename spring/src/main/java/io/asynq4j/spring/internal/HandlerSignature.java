package io.asynq4j.spring.internal;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.spring.TaskHeader;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.util.ClassUtils;

/**
 * The parameters and the result of a handler method.
 *
 * @param payload the type of the payload parameter; null without one
 * @param takesTask whether there is a parameter of type Task
 * @param result the type of the result; null if the method returns none, or an outcome
 */
record HandlerSignature(
    List<Argument> arguments, @Nullable Type payload, boolean takesTask, @Nullable Type result) {

  /** The value of a parameter. */
  @FunctionalInterface
  interface Argument {

    @Nullable Object of(TaskCall call) throws Exception;
  }

  /** One call of a handler. */
  interface TaskCall {

    Task task();

    TaskContext context();

    /** Decodes the payload. */
    @Nullable Object payload();
  }

  /** Returns empty if the method cannot handle tasks, after adding its problems. */
  static Optional<HandlerSignature> of(BeanMethod method, ProblemList problems) {
    int before = problems.size();
    List<Argument> arguments = new ArrayList<>();
    List<Type> payloads = new ArrayList<>();
    boolean takesTask = false;
    Parameter[] parameters = method.method().getParameters();
    // With the annotations of parameters of the methods that it overrides.
    MethodParameter[] annotated = new AnnotatedMethod(method.method()).getMethodParameters();
    for (int i = 0; i < parameters.length; i++) {
      Class<?> type = parameters[i].getType();
      TaskHeader header = annotated[i].getParameterAnnotation(TaskHeader.class);
      if (header != null) {
        arguments.add(header(method, header, parameters[i].getParameterizedType(), problems));
      } else if (type == TaskContext.class) {
        arguments.add(TaskCall::context);
      } else if (type == Task.class) {
        takesTask = true;
        arguments.add(TaskCall::task);
      } else {
        payloads.add(resolved(method, parameters[i].getParameterizedType(), "parameter", problems));
        arguments.add(TaskCall::payload);
      }
    }
    if (payloads.size() > 1) {
      problems.add(
          method.where(),
          "the method has %d payload parameters (%s), but a task has one payload: combine them in a record, and annotate values of headers with @TaskHeader"
              .formatted(payloads.size(), names(payloads)));
    }
    Type result = result(method, problems);
    if (problems.size() > before) {
      return Optional.empty();
    }
    Type payload = payloads.isEmpty() ? null : payloads.get(0);
    return Optional.of(new HandlerSignature(arguments, payload, takesTask, result));
  }

  private static String names(List<Type> types) {
    return String.join(", ", types.stream().map(Type::getTypeName).toList());
  }

  private static Argument header(
      BeanMethod method, TaskHeader header, Type type, ProblemList problems) {
    String name = header.value();
    if (name.isBlank()) {
      problems.add(method.where(), "@TaskHeader(\"%s\") names no header: name one".formatted(name));
    }
    ResolvableType declared = ResolvableType.forType(type);
    if (declared.resolve() == Optional.class && declared.getGeneric(0).resolve() == String.class) {
      return call -> Optional.ofNullable(headers(call).get(name));
    }
    if (type != String.class) {
      problems.add(
          method.where(),
          "the parameter with @TaskHeader(\"%s\") is of type %s, but headers are texts: make it a String or an Optional<String>"
              .formatted(name, declared.toString().replaceAll("[\\w.]+\\.", "")));
    }
    if (!header.required()) {
      return call -> headers(call).get(name);
    }
    return call -> {
      String value = headers(call).get(name);
      if (value == null) {
        throw new IllegalArgumentException(
            "the task has no header \"%s\", which %s needs: enqueue it with the header, or set @TaskHeader(required = false)"
                .formatted(name, method.where()));
      }
      return value;
    };
  }

  private static Map<String, String> headers(TaskCall call) {
    return call.context().headers();
  }

  private static @Nullable Type result(BeanMethod method, ProblemList problems) {
    Class<?> raw = method.method().getReturnType();
    if (isAsynchronous(raw)) {
      problems.add(
          method.where(),
          "the method returns a %s, but an attempt ends when its method returns: return the value itself, and wait for it with join(), get() or block()"
              .formatted(raw.getSimpleName()));
      return null;
    }
    if (raw == void.class || raw == Void.class || Outcome.class.isAssignableFrom(raw)) {
      return null;
    }
    return resolved(method, method.method().getGenericReturnType(), "result", problems);
  }

  /** Returns whether values of a type are not known when the method returns. */
  static boolean isAsynchronous(Class<?> type) {
    return CompletionStage.class.isAssignableFrom(type)
        || Future.class.isAssignableFrom(type)
        || Flow.Publisher.class.isAssignableFrom(type)
        || isReactive(type);
  }

  private static boolean isReactive(Class<?> type) {
    return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
        .map(Class::getName)
        .anyMatch("org.reactivestreams.Publisher"::equals);
  }

  /** Returns the type with the type variables of generic superclasses replaced. */
  private static Type resolved(BeanMethod method, Type type, String what, ProblemList problems) {
    Type resolved = TypeVariableResolver.resolve(type, method.type());
    if (TypeVariableResolver.hasVariable(resolved)) {
      problems.add(
          method.where(),
          "the type of the %s is %s, which the class of the bean does not define: extend the generic class with a type, such as extends Base<Order>"
              .formatted(what, type.getTypeName()));
    }
    return resolved instanceof Class<?> raw
        ? ClassUtils.resolvePrimitiveIfNecessary(raw)
        : resolved;
  }

  /** Returns whether the payload parameter takes the bytes of any task type. */
  boolean takesBytes() {
    return payload == Payload.class || payload == byte[].class;
  }

  @Nullable Object[] resolve(TaskCall call) throws Exception {
    @Nullable Object[] values = new Object[arguments.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = Objects.requireNonNull(arguments.get(i)).of(call);
    }
    return values;
  }
}
