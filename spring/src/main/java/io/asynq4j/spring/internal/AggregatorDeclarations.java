package io.asynq4j.spring.internal;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.TypeRef;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.server.GroupAggregator;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.spring.TaskAggregator;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Makes aggregators of annotated methods. */
final class AggregatorDeclarations {

  private static final String SIGNATURE =
      "an aggregator has a parameter List<Payload type> or List<Task>, optionally a String for the name of the group, and returns a payload, a Task or an Aggregated: change the method";

  /** Types that the payload of any task can be decoded as, or that say nothing about it. */
  private static final Set<Type> BYTES =
      Set.of(Task.class, Payload.class, byte[].class, Void.class);

  private final ConfigurableListableBeanFactory factory;
  private final OptionReader options;
  private final TaskTypeRegistry types;
  private final ProblemList problems;

  AggregatorDeclarations(
      ConfigurableListableBeanFactory factory,
      OptionReader options,
      TaskTypeRegistry types,
      ProblemList problems) {
    this.factory = factory;
    this.options = options;
    this.types = types;
    this.problems = problems;
  }

  /** Returns the aggregator of an annotated method; empty after adding its problems. */
  Optional<AggregatorDeclaration> of(BeanMethod method, TaskAggregator annotation) {
    String where = method.where();
    String into = options.text(where, "into", annotation.into());
    BeanMethodInvoker invoker = new BeanMethodInvoker(factory, method);
    invoker.checkDeclaration(problems);
    Type input = input(method);
    Class<?> returnType = method.method().getReturnType();
    Type output = TypeVariableResolver.resolve(returnType(method), method.type());
    if (input == null || isNoPayload(returnType)) {
      problems.add(where, SIGNATURE);
      return Optional.empty();
    }
    if (!hasOneTarget(where, annotation)) {
      return Optional.empty();
    }
    boolean isForGroup = annotation.type().isEmpty();
    String group = isForGroup ? options.required(where, "group", annotation.group()) : "";
    String type = isForGroup ? "" : options.required(where, "type", annotation.type());
    if (isForGroup ? !isPattern(where, group) : type.isEmpty()) {
      return Optional.empty();
    }
    if (!takes(where, type, input)) {
      return Optional.empty();
    }
    if (!type.isEmpty() && input != Task.class) {
      types.addIfAbsent(where, TaskTypeRegistry.create(type, input, null));
    }
    return output(where, output, into)
        .map(
            out ->
                new AggregatorDeclaration(
                    method.beanName(),
                    where,
                    options.text(where, "server", annotation.server()),
                    group,
                    type,
                    new MethodAggregator(where, invoker, groupFirst(method), input, out),
                    invoker));
  }

  private static boolean isNoPayload(Class<?> returned) {
    return returned == void.class
        || returned == Void.class
        || Outcome.class.isAssignableFrom(returned)
        || HandlerSignature.isAsynchronous(returned);
  }

  /** Returns whether the tasks of a type can be decoded as these inputs; adds a problem if not. */
  private boolean takes(String where, String type, Type input) {
    Type payload =
        type.isEmpty() ? input : types.find(type).<Type>map(TaskType::input).orElse(input);
    if (BYTES.contains(input)
        || BYTES.contains(payload)
        || TaskTypeRegistry.isAssignable(input, payload)) {
      return true;
    }
    problems.add(
        where,
        "the method takes a list of %s, but the task type \"%s\" has the payload %s: take a list of that"
            .formatted(input.getTypeName(), type, payload.getTypeName()));
    return false;
  }

  private static Type returnType(BeanMethod method) {
    return method.method().getGenericReturnType();
  }

  private boolean hasOneTarget(String where, TaskAggregator annotation) {
    if (annotation.group().isEmpty() == annotation.type().isEmpty()) {
      problems.add(
          where,
          annotation.group().isEmpty()
              ? "@TaskAggregator is for no group: set group = \"digest:*\" or the task type, such as type = \"notification\""
              : "@TaskAggregator has both group = \"%s\" and type = \"%s\": set one of them"
                  .formatted(annotation.group(), annotation.type()));
      return false;
    }
    return true;
  }

  /** Adds a problem if not; a missing group is a problem already. */
  private boolean isPattern(String where, String group) {
    try {
      if (!group.isEmpty()) {
        Glob.of(group);
      }
      return !group.isEmpty();
    } catch (IllegalArgumentException e) {
      problems.add(where, "group = \"%s\": %s".formatted(group, e.getMessage()));
      return false;
    }
  }

  /** Returns the type of the elements of the list; null if the parameters are others. */
  private static @Nullable Type input(BeanMethod method) {
    Type input = null;
    int names = 0;
    for (Parameter parameter : method.method().getParameters()) {
      if (parameter.getType() == List.class && input == null) {
        Type list = TypeVariableResolver.resolve(parameter.getParameterizedType(), method.type());
        ResolvableType element = ResolvableType.forType(list).getGeneric(0);
        input = element.hasGenerics() ? element.getType() : element.resolve();
      } else if (parameter.getType() == String.class && names == 0) {
        names++;
      } else {
        return null;
      }
    }
    return input;
  }

  /** Returns whether the name of the group is the first parameter; null if it is none. */
  private static @Nullable Boolean groupFirst(BeanMethod method) {
    Class<?>[] parameters = method.method().getParameterTypes();
    return parameters.length == 1 ? null : parameters[0] == String.class;
  }

  /** How the returned value becomes a task. */
  @FunctionalInterface
  private interface Output {

    Aggregated of(Object returned, PayloadCodec codec);
  }

  private Optional<Output> output(String where, Type output, String into) {
    if (output == Task.class || output == Aggregated.class) {
      if (!into.isEmpty()) {
        problems.add(
            where,
            "into = \"%s\" has no effect, since the method returns a task: remove it, or return the payload"
                .formatted(into));
        return Optional.empty();
      }
      return Optional.of(
          (returned, codec) ->
              returned instanceof Task task ? Aggregated.of(task) : (Aggregated) returned);
    }
    return outputType(where, output, into)
        .map(type -> (returned, codec) -> aggregated(type, returned, codec));
  }

  // The value has the type of the method, which was compared with that of the task type.
  @SuppressWarnings("unchecked")
  private static Aggregated aggregated(TaskType<?> type, Object value, PayloadCodec codec) {
    return Aggregated.of((TaskType<Object>) type, value, codec);
  }

  private Optional<TaskType<?>> outputType(String where, Type output, String into) {
    try {
      if (into.isEmpty()) {
        return Optional.of(types.of(output, null));
      }
      Optional<TaskType<?>> known = types.find(into);
      if (known.isEmpty()) {
        return Optional.of(TaskTypeRegistry.create(into, output, null));
      }
      if (TaskTypeRegistry.isAssignable(known.get().input(), output)) {
        return known;
      }
      problems.add(
          where,
          "the method returns %s, but the task type \"%s\" has the payload %s: return that, or set into to another type"
              .formatted(output.getTypeName(), into, known.get().input().getTypeName()));
    } catch (IllegalArgumentException e) {
      problems.add(
          where,
          "@TaskAggregator needs to know the task type of what it returns: set into = \"…\" (%s)"
              .formatted(e.getMessage()));
    }
    return Optional.empty();
  }

  /** Calls the method of a bean. */
  private record MethodAggregator(
      String where,
      BeanMethodInvoker invoker,
      @Nullable Boolean groupFirst,
      Type input,
      Output output)
      implements GroupAggregator {

    @Override
    public Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception {
      return aggregate(queue, group, tasks, PayloadCodec.json());
    }

    @Override
    public Aggregated aggregate(QueueName queue, String group, List<Task> tasks, PayloadCodec codec)
        throws Exception {
      List<?> inputs = input == Task.class ? tasks : decoded(tasks, codec);
      Object returned =
          groupFirst == null
              ? invoker.invoke(inputs)
              : groupFirst ? invoker.invoke(group, inputs) : invoker.invoke(inputs, group);
      return output.of(
          Objects.requireNonNull(returned, () -> where + " returned null instead of a task"),
          codec);
    }

    private List<Object> decoded(List<Task> tasks, PayloadCodec codec) {
      TypeRef<?> type = TypeRef.of(input);
      List<Object> inputs = new ArrayList<>(tasks.size());
      for (Task task : tasks) {
        inputs.add(TaskType.of(task.type(), type).input(task, codec));
      }
      return inputs;
    }
  }
}
