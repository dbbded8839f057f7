package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.DefaultLifecycleProcessor;

/** Servers start and stop with their context. */
class ServersIT {

  static class Two {

    @Bean
    TaskServerDefinition.Source servers() {
      return () ->
          List.of(
              TaskServerDefinition.of("mail").with(s -> s.queue("mail").concurrency(1)),
              TaskServerDefinition.of("reports").with(s -> s.queue("reports")).autoStartup(false));
    }

    @Bean
    TaskServerCustomizer threads() {
      return (name, server) -> server.executor(task -> new Thread(task, "of-" + name).start());
    }

    @TaskHandler(value = "mail", queue = "mail", retention = "1h")
    String mail() {
      return Thread.currentThread().getName();
    }

    @TaskHandler(value = "report", queue = "reports", retention = "1h", server = "reports")
    String report() {
      return Thread.currentThread().getName();
    }
  }

  static class Split extends Two {

    @Override
    @Bean
    TaskServerDefinition.Source servers() {
      return () ->
          List.of(
              TaskServerDefinition.of("mail").with(s -> s.queue("mail")),
              TaskServerDefinition.of("reports").with(s -> s.queue("reports")).enabled(false));
    }
  }

  @Test
  void aDisabledServerMayHaveHandlersAndDoesNotRun() {
    try (TestApp app = TestApp.start(Split.class)) {
      TaskServers servers = app.bean(TaskServers.class);

      assertThat(servers.names()).containsExactly("mail");
      assertThat(app.result(app.enqueueNamed("mail"))).isEqualTo("\"of-mail\"");
      assertThat(app.await(app.enqueueNamed("report"), TaskState.PENDING).queue().value())
          .isEqualTo("reports");
    }
  }

  @Test
  void severalServersRunTheHandlersOfTheirQueues() {
    try (TestApp app = TestApp.start(Two.class)) {
      TaskServers servers = app.bean(TaskServers.class);

      assertThat(servers.names()).containsExactlyInAnyOrder("mail", "reports");
      assertThat(app.result(app.enqueueNamed("mail"))).isEqualTo("\"of-mail\"");
      assertThat(servers.find("reports")).isEmpty();
      servers.start("reports");
      assertThat(app.result(app.enqueueNamed("report"))).isEqualTo("\"of-reports\"");
      assertThat(servers.find("reports").orElseThrow().queues()).isEqualTo(Map.of("reports", 1));
      servers.stop("reports");
      assertThat(servers.find("reports")).isEmpty();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> servers.start("report"))
          .withMessage(
              "no server has the name \"report\"; the servers are [mail, reports]: correct the name, or define a bean of type TaskServerDefinition");
    }
  }

  static class Restarted {

    @TaskHandler("hello")
    String hello() {
      return "hello";
    }

    @ScheduledTask(name = "often", every = "1s", retention = "1h")
    void often() {
      fired.countDown();
    }
  }

  private static volatile CountDownLatch fired = new CountDownLatch(1);

  @Test
  void aStoppedContextCanBeStartedAgain() throws InterruptedException {
    try (TestApp app = TestApp.start(Restarted.class)) {
      TaskServer first = app.bean(TaskServers.class).find("default").orElseThrow();
      fired.await();
      app.context().stop();
      assertThat(first.state()).isEqualTo(ServerState.CLOSED);
      fired = new CountDownLatch(1);

      app.context().start();

      assertThat(app.resultOf("hello")).isEqualTo("\"hello\"");
      fired.await();
      assertThat(app.bean(TaskServers.class).find("default").orElseThrow().state())
          .isEqualTo(ServerState.ACTIVE);
    }
  }

  /** Each handler runs until the other server stops too. */
  static class Meeting {

    private final ObjectProvider<TaskServers> servers;
    static final List<String> EVENTS = new CopyOnWriteArrayList<>();

    Meeting(ObjectProvider<TaskServers> servers) {
      this.servers = servers;
    }

    @Bean
    TaskServerDefinition one() {
      return TaskServerDefinition.of("one").with(s -> s.queue("one"));
    }

    @Bean
    TaskServerDefinition two() {
      return TaskServerDefinition.of("two").with(s -> s.queue("two"));
    }

    @Bean
    DefaultLifecycleProcessor lifecycleProcessor() {
      DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
      processor.setTimeoutPerShutdownPhase(1);
      return processor;
    }

    @TaskHandler(value = "one", queue = "one")
    void one(io.asynq4j.handler.TaskContext context) {
      meet("two");
    }

    @TaskHandler(value = "two", queue = "two")
    void two(io.asynq4j.handler.TaskContext context) {
      meet("one");
    }

    private void meet(String other) {
      TaskServer server = servers.getObject().find(other).orElseThrow();
      EVENTS.add("begun");
      await().until(() -> server.state().compareTo(ServerState.STOPPING) >= 0);
      EVENTS.add("ended");
    }
  }

  static class Resource implements DisposableBean {

    @TaskHandler("uses-resource")
    void use() {}

    @Override
    public void destroy() {
      Meeting.EVENTS.add("destroyed");
    }
  }

  @Test
  void serversStopAtTheSameTimeAndBeforeTheBeansOfTheirHandlers() {
    try (TestApp app = TestApp.start(Meeting.class, Resource.class)) {
      app.enqueueNamed("one");
      app.enqueueNamed("two");
      await().until(() -> Meeting.EVENTS.size() == 2);
      // Both tasks are settled before the connection is closed.
      app.closeContext();

      assertThat(Meeting.EVENTS).containsExactly("begun", "begun", "ended", "ended", "destroyed");
    }
  }

  static class Early {

    @Bean
    TaskServerDefinition server() {
      return TaskServerDefinition.of("early").phase(0);
    }

    @TaskHandler("a")
    void handle() {}
  }

  static class Failing implements SmartLifecycle {

    static final List<TaskServer> FOUND = new CopyOnWriteArrayList<>();
    private final TaskServers servers;

    Failing(TaskServers servers) {
      this.servers = servers;
    }

    @Override
    public void start() {
      FOUND.add(servers.find("early").orElseThrow());
      throw new IllegalStateException("cannot start");
    }

    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
      return false;
    }
  }

  @Test
  void aContextThatFailsToStartStopsItsServers() {
    assertThatExceptionOfType(ApplicationContextException.class)
        .isThrownBy(() -> TestApp.start(Early.class, Failing.class))
        .withRootCauseInstanceOf(IllegalStateException.class);

    assertThat(Failing.FOUND).extracting(TaskServer::state).containsExactly(ServerState.CLOSED);
  }

  static class ProducersOnly {

    @Bean
    AsynqSettings settings() {
      return AsynqSettings.defaults().servers(false).scheduler(false);
    }

    @TaskHandler(value = "note", queue = "notes", server = "elsewhere")
    void handle(String note) {}

    @ScheduledTask(name = "nightly", cron = "@daily")
    void nightly() {}
  }

  @Test
  void producersKnowTheTypesAndRunNothing() {
    try (TestApp app = TestApp.start(ProducersOnly.class)) {
      assertThat(app.bean(TaskServers.class).names()).isEmpty();
      assertThat(app.context().getBeansOfType(SmartLifecycle.class)).isEmpty();
      assertThat(app.await(app.enqueue("hi"), TaskState.PENDING).queue().value())
          .isEqualTo("notes");
    }
  }

  @Test
  void serversStartLastAndStopFirst() {
    try (TestApp app = TestApp.start(Restarted.class)) {
      assertThat(app.context().getBeansOfType(SmartLifecycle.class).values())
          .hasSize(2)
          .allSatisfy(
              lifecycle ->
                  assertThat(lifecycle.getPhase()).isEqualTo(SmartLifecycle.DEFAULT_PHASE));
    }
  }

  @Test
  void aServerNeedsAName() {
    assertThat(catchThrowable(() -> TaskServerDefinition.of(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the name of a server must not be blank; name it, such as \"default\"");
  }

  static class Parent {

    @Bean
    TaskServerDefinition parent() {
      return TaskServerDefinition.of("parent");
    }

    @ScheduledTask(name = "of-parent", every = "1s")
    void ofParent() {
      fired.countDown();
    }
  }

  static class Child {

    static final CountDownLatch FIRED = new CountDownLatch(1);

    @Bean
    TaskServerDefinition child() {
      return TaskServerDefinition.of("child").with(s -> s.queue("child"));
    }

    @ScheduledTask(name = "of-child", every = "1s", queue = "child")
    void ofChild() {
      FIRED.countDown();
    }
  }

  @Test
  void parentAndChildContextsRunTheirOwnServersAndSchedules() throws InterruptedException {
    fired = new CountDownLatch(1);
    try (TestApp parent = TestApp.start(Parent.class)) {
      fired.await();
      fired = new CountDownLatch(1);
      try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
        child.setParent(parent.context());
        child.register(AsynqConfiguration.class, Child.class);
        child.refresh();

        assertThat(child.getBean(TaskServers.class).names()).containsExactly("child");
        assertThat(child.getBean(Scheduler.class).entries())
            .extracting(ScheduleEntry::name)
            .containsExactly("of-child");
        Child.FIRED.await();
        assertThat(child.getBean(TaskClient.class)).isSameAs(parent.bean(TaskClient.class));
      }
      assertThat(parent.bean(Scheduler.class).entries())
          .extracting(ScheduleEntry::name)
          .containsExactly("of-parent");
      fired = new CountDownLatch(1);
      fired.await();
    }
  }
}
