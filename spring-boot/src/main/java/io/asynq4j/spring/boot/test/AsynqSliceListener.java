package io.asynq4j.spring.boot.test;

import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.spring.TaskServers;
import io.asynq4j.testing.AsynqTestEnvironment;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Empties Redis before each test with {@link AsynqSliceTest}, and finds the handlers to run. */
final class AsynqSliceListener extends AbstractTestExecutionListener {

  /** Before listeners that begin transactions. */
  private static final int ORDER = 3_500;

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public void beforeTestMethod(TestContext test) {
    AsynqSliceTest slice =
        TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), AsynqSliceTest.class);
    if (slice != null) {
      prepare(test.getApplicationContext(), slice.server());
    }
  }

  private static void prepare(ApplicationContext context, String wanted) {
    AsynqTestEnvironment environment = context.getBean(AsynqTestEnvironment.class);
    environment.reset();
    TaskServers servers = context.getBean(TaskServers.class);
    Set<String> names = servers.names();
    if (!names.isEmpty()) {
      String server = wanted.isEmpty() ? onlyOf(names) : wanted;
      environment.tasks().server(builder -> servers.configure(server, builder));
    }
    context
        .getBeanProvider(Scheduler.class)
        .ifUnique(scheduler -> environment.tasks().scheduler(copy(scheduler, context)));
  }

  /** A scheduler that knows nothing of the data and the time of earlier tests. */
  private static Scheduler copy(Scheduler scheduler, ApplicationContext context) {
    Scheduler copy = context.getBean("asynqSchedulerBuilder", Scheduler.Builder.class).build();
    Set<String> known =
        copy.entries().stream().map(ScheduleEntry::name).collect(Collectors.toSet());
    scheduler.entries().stream().filter(each -> !known.contains(each.name())).forEach(copy::add);
    return copy;
  }

  private static String onlyOf(Set<String> names) {
    if (names.size() == 1) {
      return names.iterator().next();
    }
    if (names.contains(TaskServerDefinition.DEFAULT_NAME)) {
      return TaskServerDefinition.DEFAULT_NAME;
    }
    throw new IllegalStateException(
        "@AsynqSliceTest does not know which of the servers %s runs the tasks: name it, such as @AsynqSliceTest(server = \"%s\")"
            .formatted(names, names.iterator().next()));
  }
}
