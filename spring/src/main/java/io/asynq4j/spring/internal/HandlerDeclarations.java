package io.asynq4j.spring.internal;

import io.asynq4j.Payload;
import io.asynq4j.ResultTaskType;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Action;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.internal.HandlerSignature.TaskCall;
import io.asynq4j.spring.internal.TaskBeanScanner.AnnotatedBean;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Makes handlers of annotated methods and beans, and finds their task types. */
final class HandlerDeclarations {

  private final ConfigurableListableBeanFactory factory;
  private final OptionReader options;
  private final TaskTypeRegistry types;
  private final ProblemList problems;

  HandlerDeclarations(
      ConfigurableListableBeanFactory factory,
      OptionReader options,
      TaskTypeRegistry types,
      ProblemList problems) {
    this.factory = factory;
    this.options = options;
    this.types = types;
    this.problems = problems;
  }

  /** Returns the handler of an annotated method; empty after adding its problems. */
  Optional<HandlerDeclaration> of(BeanMethod method, TaskHandler annotation) {
    BeanMethodInvoker invoker = new BeanMethodInvoker(factory, method);
    invoker.checkDeclaration(problems);
    String where = method.where();
    return HandlerSignature.of(method, problems)
        .flatMap(
            signature ->
                type(where, annotation, signature)
                    .map(
                        type ->
                            new HandlerDeclaration(
                                method.beanName(),
                                where,
                                options.text(where, "server", annotation.server()),
                                type,
                                handler(where, type, signature, invoker),
                                invoker)));
  }

  /** Returns the handler of a scheduled method; empty after adding its problems. */
  Optional<HandlerDeclaration> of(BeanMethod method, ScheduledTask annotation, String name) {
    BeanMethodInvoker invoker = new BeanMethodInvoker(factory, method);
    invoker.checkDeclaration(problems);
    String where = method.where();
    Optional<HandlerSignature> signature = HandlerSignature.of(method, problems);
    Type payload = signature.map(HandlerSignature::payload).orElse(null);
    if (payload != null) {
      problems.add(
          where,
          "the method has a payload parameter (%s), but a scheduled task has no payload: remove it, or use @TaskHandler and a bean of type ScheduleEntry"
              .formatted(payload.getTypeName()));
      return Optional.empty();
    }
    TaskOptions given = options.options(where, annotation);
    return signature.flatMap(
        found ->
            typeOf(where, name, Void.class, found.result(), given)
                .map(
                    type ->
                        new HandlerDeclaration(
                            method.beanName(),
                            where,
                            options.text(where, "server", annotation.server()),
                            type,
                            handler(where, type, found, invoker),
                            invoker)));
  }

  private Handler<Task> handler(
      String where, TaskType<?> type, HandlerSignature signature, BeanMethodInvoker invoker) {
    boolean returnsOutcome = Outcome.class.isAssignableFrom(invoker.returnType());
    return (task, context) -> {
      TaskCall call = new Call(type, task, context, signature.payload());
      Object returned = invoker.invoke(signature.resolve(call));
      if (returned instanceof Outcome outcome) {
        return outcome;
      }
      if (returnsOutcome) {
        throw new IllegalStateException(
            where + " returned null instead of an outcome: return Outcome.done()");
      }
      return Outcome.done(signature.result() == null ? null : returned);
    };
  }

  private record Call(TaskType<?> type, Task task, TaskContext context, @Nullable Type payloadType)
      implements TaskCall {

    @Override
    public @Nullable Object payload() {
      if (payloadType == Payload.class) {
        return task.payload();
      }
      return payloadType == byte[].class ? task.payload().bytes() : decode(type, task, context);
    }
  }

  // Null for Void.
  private static @Nullable Object decode(TaskType<?> type, Task task, TaskContext context) {
    return type.input(task, context.codec());
  }

  private Optional<TaskType<?>> type(
      String where, TaskHandler annotation, HandlerSignature signature) {
    Type input = signature.payload();
    if (input == null) {
      input = signature.takesTask() ? Payload.class : Void.class;
    }
    boolean takesAny = signature.payload() == null || signature.takesBytes();
    return type(where, annotation, input, signature.result(), takesAny);
  }

  /**
   * @param takesAny whether the handler can handle tasks with any payload
   */
  private Optional<TaskType<?>> type(
      String where, TaskHandler annotation, Type input, @Nullable Type result, boolean takesAny) {
    TaskOptions given = options.options(where, annotation);
    if (annotation.name().isEmpty() == annotation.bean().isEmpty()) {
      problems.add(
          where,
          annotation.name().isEmpty()
              ? "@TaskHandler names no task type: write @TaskHandler(\"email:welcome\"), or bean = \"…\" with the name of a bean of type TaskType"
              : "@TaskHandler has both a name (\"%s\") and a bean (\"%s\"): set one of them"
                  .formatted(annotation.name(), annotation.bean()));
      return Optional.empty();
    }
    boolean isNamed = annotation.bean().isEmpty();
    String name = isNamed ? options.required(where, "name", annotation.name()) : "";
    String bean = isNamed ? "" : options.required(where, "bean", annotation.bean());
    if (name.isEmpty() && bean.isEmpty()) {
      return Optional.empty();
    }
    Optional<TaskType<?>> defined = bean.isEmpty() ? types.beanOf(name) : types.bean(bean);
    if (defined.isEmpty() && !bean.isEmpty()) {
      problems.add(
          where,
          "no bean of type TaskType has the name \"%s\"; there are %s: correct the name, or use the name of the task type instead"
              .formatted(bean, types.beanNames()));
      return Optional.empty();
    }
    return defined.isPresent()
        ? defined.filter(type -> fits(where, type, input, result, given, takesAny))
        : create(where, name, input, result, given);
  }

  private Optional<TaskType<?>> typeOf(
      String where, String name, Type input, @Nullable Type result, TaskOptions given) {
    Optional<TaskType<?>> defined = types.beanOf(name);
    return defined.isPresent()
        ? defined.filter(type -> fits(where, type, input, result, given, /* takesAny= */ false))
        : create(where, name, input, result, given);
  }

  private boolean fits(
      String where,
      TaskType<?> type,
      Type input,
      @Nullable Type result,
      TaskOptions given,
      boolean takesAny) {
    if (!given.equals(TaskOptions.defaults())) {
      problems.add(
          where,
          "the annotation has options, but the bean of type TaskType for \"%s\" defines them: set them there"
              .formatted(type.name()));
      return false;
    }
    if (!takesAny && !TaskTypeRegistry.isAssignable(input, type.input())) {
      problems.add(
          where,
          "the handler takes %s, but the bean of type TaskType for \"%s\" has the payload %s: use the same type"
              .formatted(input.getTypeName(), type.name(), type.input().getTypeName()));
      return false;
    }
    if (result != null
        && type instanceof ResultTaskType<?, ?> withResult
        && !TaskTypeRegistry.isAssignable(withResult.result(), result)) {
      problems.add(
          where,
          "the handler returns %s, but the bean of type TaskType for \"%s\" has the result %s: use the same type"
              .formatted(result.getTypeName(), type.name(), withResult.result().getTypeName()));
      return false;
    }
    return true;
  }

  private Optional<TaskType<?>> create(
      String where, String name, Type input, @Nullable Type result, TaskOptions given) {
    try {
      return Optional.of(TaskTypeRegistry.create(name, input, result).with(given));
    } catch (IllegalArgumentException e) {
      problems.add(where, Objects.requireNonNull(e.getMessage()));
      return Optional.empty();
    }
  }

  /** Returns the handler of a bean that is a handler itself; empty after adding its problems. */
  Optional<HandlerDeclaration> of(AnnotatedBean bean, TaskHandler annotation) {
    String where = "bean \"%s\"".formatted(bean.beanName());
    boolean isHandler = Handler.class.isAssignableFrom(bean.type());
    if (!isHandler && !Action.class.isAssignableFrom(bean.type())) {
      problems.add(
          where,
          "%s has @TaskHandler, but is no Handler or Action: put the annotation on a method, or implement Handler"
              .formatted(bean.type().getSimpleName()));
      return Optional.empty();
    }
    BeanMethodInvoker.checkScope(factory, bean.beanName(), where, problems);
    Type input = input(bean, isHandler ? Handler.class : Action.class);
    if (input == Object.class || TypeVariableResolver.hasVariable(input)) {
      problems.add(
          where,
          "the payload type of the %s is not known: declare it in the class or as the type of the @Bean method, such as Handler<WelcomeEmail>"
              .formatted(isHandler ? "Handler" : "Action"));
      return Optional.empty();
    }
    boolean raw = input == Task.class;
    return type(where, annotation, raw ? Payload.class : input, null, raw)
        .map(
            type ->
                new HandlerDeclaration(
                    bean.beanName(),
                    where,
                    options.text(where, "server", annotation.server()),
                    type,
                    beanHandler(bean.beanName(), type, raw),
                    null));
  }

  private Type input(AnnotatedBean bean, Class<?> handlerType) {
    // The definition has the generic type that a @Bean method declares, also for a lambda.
    ResolvableType declared =
        factory.containsBeanDefinition(bean.beanName())
            ? factory.getMergedBeanDefinition(bean.beanName()).getResolvableType()
            : ResolvableType.NONE;
    ResolvableType input = declared.as(handlerType).getGeneric(0);
    if (input.resolve() == null) {
      input = ResolvableType.forClass(bean.type()).as(handlerType).getGeneric(0);
    }
    Class<?> raw = input.resolve(Object.class);
    return input.hasGenerics() ? TypeVariableResolver.resolve(input) : raw;
  }

  // The input has the type of the declaration, and is null only for Void.
  @SuppressWarnings({"unchecked", "NullAway"})
  private Handler<Task> beanHandler(String beanName, TaskType<?> type, boolean raw) {
    return (task, context) -> {
      Object bean = factory.getBean(beanName);
      Object input = raw ? task : decode(type, task, context);
      if (bean instanceof Handler<?> handler) {
        return ((Handler<Object>) handler).handle(input, context);
      }
      ((Action<Object>) bean).run(input, context);
      return Outcome.done();
    };
  }
}
