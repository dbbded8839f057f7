package io.asynq4j.spring.internal;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskType;
import io.asynq4j.codec.TypeRef;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** The task types of the beans: beans of type TaskType, and those of handlers. */
final class TaskTypeRegistry {

  private final Map<String, TaskType<?>> byBean = new LinkedHashMap<>();
  private final Map<String, TaskType<?>> byName = new TreeMap<>();
  private final Map<String, String> beanOfName = new LinkedHashMap<>();
  private final Map<String, String> whereOfName = new LinkedHashMap<>();
  private final ProblemList problems;

  TaskTypeRegistry(ConfigurableListableBeanFactory factory, ProblemList problems) {
    this.problems = problems;
    for (String name : factory.getBeanNamesForType(TaskType.class, false, true)) {
      if (!TaskTypeBeans.isOfHandler(name)) {
        addBean(name, factory.getBean(name, TaskType.class));
      }
    }
  }

  private void addBean(String bean, TaskType<?> type) {
    byBean.put(bean, type);
    TaskType<?> other = byName.putIfAbsent(type.name(), type);
    String otherBean = beanOfName.putIfAbsent(type.name(), bean);
    if (other != null && !other.equals(type)) {
      problems.add(
          "bean \"%s\": the task type \"%s\" is also defined by bean \"%s\", with other settings: define it once"
              .formatted(bean, type.name(), otherBean));
    }
  }

  /** Returns the bean of type TaskType with this task name. */
  Optional<TaskType<?>> beanOf(String taskName) {
    return beanOfName.containsKey(taskName)
        ? Optional.ofNullable(byName.get(taskName))
        : Optional.empty();
  }

  Optional<TaskType<?>> bean(String beanName) {
    return Optional.ofNullable(byBean.get(beanName));
  }

  Collection<String> beanNames() {
    return byBean.keySet();
  }

  /** Adds the type of a handler. Handlers of different servers may share a type. */
  void add(String where, TaskType<?> type) {
    TaskType<?> other = byName.putIfAbsent(type.name(), type);
    String otherWhere = whereOfName.putIfAbsent(type.name(), where);
    if (other != null && otherWhere != null && !other.equals(type)) {
      problems.add(
          where,
          "the task type \"%s\" has another payload, result or other options than in %s: use the same, or define a bean of type TaskType"
              .formatted(type.name(), otherWhere));
    }
  }

  /** Adds a type that no handler has, such as that of tasks which are only aggregated. */
  void addIfAbsent(String where, TaskType<?> type) {
    if (byName.putIfAbsent(type.name(), type) == null) {
      whereOfName.put(type.name(), where);
    }
  }

  List<TaskType<?>> all() {
    return List.copyOf(byName.values());
  }

  Optional<TaskType<?>> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  TaskType<?> of(Type input, @Nullable Type result) {
    List<TaskType<?>> found =
        byName.values().stream()
            .filter(type -> type.input().equals(input) && hasResult(type, result))
            .toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    String wanted =
        input.getTypeName() + (result == null ? "" : " and result " + result.getTypeName());
    throw new IllegalArgumentException(
        found.isEmpty()
            ? "no task type has input %s; the types are %s: add a handler or a bean of type TaskType"
                .formatted(wanted, described(byName.values()))
            : "%d task types have input %s: %s; name one with of(name, input)"
                .formatted(found.size(), wanted, described(found)));
  }

  private static boolean hasResult(TaskType<?> type, @Nullable Type result) {
    return result == null
        || (type instanceof ResultTaskType<?, ?> withResult && withResult.result().equals(result));
  }

  TaskType<?> of(String name, Type input) {
    TaskType<?> found = byName.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "no task type has the name \"%s\"; the types are %s: add a handler or a bean of type TaskType"
              .formatted(name, described(byName.values())));
    }
    if (!found.input().equals(input)) {
      throw new IllegalArgumentException(
          "the task type \"%s\" has input %s, not %s: ask for its input"
              .formatted(name, found.input().getTypeName(), input.getTypeName()));
    }
    return found;
  }

  private static String described(Collection<TaskType<?>> types) {
    return types.isEmpty()
        ? "none"
        : types.stream()
            .map(type -> "\"%s\" (%s)".formatted(type.name(), type.input().getTypeName()))
            .collect(Collectors.joining(", "));
  }

  /** Returns a new type with this name and input, and a result unless that is null. */
  static TaskType<?> create(String name, Type input, @Nullable Type result) {
    TaskType<?> type = TaskType.of(name, TypeRef.of(input));
    return result == null ? type : type.returning(TypeRef.of(result));
  }

  /** Returns whether a value of one type can be passed as the other. */
  static boolean isAssignable(Type to, Type from) {
    return ResolvableType.forType(to).isAssignableFrom(ResolvableType.forType(from));
  }
}
