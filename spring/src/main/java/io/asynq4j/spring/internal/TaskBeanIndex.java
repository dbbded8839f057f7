package io.asynq4j.spring.internal;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskType;
import io.asynq4j.codec.TypeRef;
import io.asynq4j.handler.Mux;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskAggregator;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskTypes;
import io.asynq4j.spring.internal.TaskBeanScanner.AnnotatedBean;
import io.asynq4j.spring.internal.TaskBeanScanner.AnnotatedMethod;
import io.asynq4j.spring.internal.TaskBeanScanner.Found;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The handlers, schedules, aggregators and task types of an application context. Read from the
 * definitions of the beans when it is first needed, which may be before all beans exist.
 * Thread-safe.
 */
public final class TaskBeanIndex implements TaskTypes {

  private final ConfigurableListableBeanFactory factory;
  private volatile @Nullable Content content;

  /**
   * What was found.
   *
   * @param muxes by bean name
   */
  record Content(
      List<HandlerDeclaration> handlers,
      List<AggregatorDeclaration> aggregators,
      Map<String, Mux> muxes,
      Map<String, ScheduleEntry> schedules,
      TaskTypeRegistry types,
      ProblemList problems) {}

  public TaskBeanIndex(ConfigurableListableBeanFactory factory) {
    this.factory = factory;
  }

  /** Without a lock, since reading creates beans, for which another thread may hold one. */
  Content content() {
    Content known = content;
    return known == null ? complete() : known;
  }

  /** Reads the beans again, when beans of factories that had unknown classes exist. */
  Content complete() {
    Content read = read();
    content = read;
    return read;
  }

  /** Creates the bean of the type of a handler, see {@link TaskTypeBeans}. */
  TaskType<?> ofHandler(String name) {
    String resolved = factory.resolveEmbeddedValue(name);
    return content()
        .types()
        .find(String.valueOf(resolved))
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "task type \"%s\" is not known, since its handler is not valid: see the other problems of the context"
                        .formatted(resolved)));
  }

  private Content read() {
    ProblemList problems = new ProblemList();
    TaskTypeRegistry types = new TaskTypeRegistry(factory, problems);
    OptionReader options = new OptionReader(factory, problems);
    List<HandlerDeclaration> handlers = new ArrayList<>();
    Map<String, ScheduleEntry> schedules = new LinkedHashMap<>();
    Found found = TaskBeanScanner.scan(factory);
    HandlerDeclarations declarations = new HandlerDeclarations(factory, options, types, problems);
    for (AnnotatedMethod method : found.methods()) {
      for (var annotation : method.annotations()) {
        if (annotation instanceof TaskHandler handler) {
          declarations.of(method.method(), handler).ifPresent(handlers::add);
        } else if (annotation instanceof ScheduledTask scheduled) {
          addScheduled(method.method(), scheduled, declarations, options, problems)
              .ifPresent(
                  declared -> {
                    handlers.add(declared);
                    new ScheduleDeclarations(options, problems)
                        .of(declared.where(), scheduled, declared.type())
                        .ifPresent(entry -> add(schedules, declared.where(), entry, problems));
                  });
        }
      }
    }
    for (AnnotatedBean bean : found.beans()) {
      for (TaskHandler handler : bean.annotations()) {
        declarations.of(bean, handler).ifPresent(handlers::add);
      }
    }
    handlers.forEach(handler -> types.add(handler.where(), handler.type()));
    return new Content(
        handlers,
        aggregators(found, options, types, problems),
        factory.getBeansOfType(Mux.class, false, true),
        schedules,
        types,
        problems);
  }

  private static Optional<HandlerDeclaration> addScheduled(
      BeanMethod method,
      ScheduledTask scheduled,
      HandlerDeclarations declarations,
      OptionReader options,
      ProblemList problems) {
    String name = options.text(method.where(), "name", scheduled.name());
    if (name.isEmpty()) {
      problems.add(
          method.where(), "@ScheduledTask has no name: set one that is unique on this Redis");
      return Optional.empty();
    }
    return declarations.of(method, scheduled, name);
  }

  private static void add(
      Map<String, ScheduleEntry> schedules,
      String where,
      ScheduleEntry entry,
      ProblemList problems) {
    if (schedules.putIfAbsent(entry.name(), entry) != null) {
      problems.add(where, duplicateSchedule(entry.name()));
    }
  }

  static String duplicateSchedule(String name) {
    return "there is another schedule entry with the name \"%s\": give each entry its own name"
        .formatted(name);
  }

  /** Last, since they refer to the types of handlers. */
  private List<AggregatorDeclaration> aggregators(
      Found found, OptionReader options, TaskTypeRegistry types, ProblemList problems) {
    List<AggregatorDeclaration> aggregators = new ArrayList<>();
    AggregatorDeclarations declarations =
        new AggregatorDeclarations(factory, options, types, problems);
    for (AnnotatedMethod method : found.methods()) {
      for (var annotation : method.annotations()) {
        if (annotation instanceof TaskAggregator aggregator) {
          declarations.of(method.method(), aggregator).ifPresent(aggregators::add);
        }
      }
    }
    return aggregators;
  }

  @Override
  public List<TaskType<?>> all() {
    return content().types().all();
  }

  @Override
  public Optional<TaskType<?>> find(String name) {
    return content().types().find(name);
  }

  // The registry compares the types.
  @SuppressWarnings("unchecked")
  @Override
  public <T> TaskType<T> of(Class<T> input) {
    return (TaskType<T>) content().types().of(input, null);
  }

  @SuppressWarnings("unchecked")
  @Override
  public <T, R> ResultTaskType<T, R> of(Class<T> input, Class<R> result) {
    return (ResultTaskType<T, R>) content().types().of(input, result);
  }

  @SuppressWarnings("unchecked")
  @Override
  public <T> TaskType<T> of(String name, Class<T> input) {
    return (TaskType<T>) content().types().of(name, input);
  }

  @SuppressWarnings("unchecked")
  @Override
  public <T> TaskType<T> of(String name, TypeRef<T> input) {
    return (TaskType<T>) content().types().of(name, input.type());
  }
}
