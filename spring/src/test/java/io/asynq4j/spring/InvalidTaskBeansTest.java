package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** An application with a mistake does not start, and its exception names the mistake. */
class InvalidTaskBeansTest {

  private static void assertProblem(Class<?> component, String problem) {
    assertThat(TestApp.problems(component)).containsExactly(problem);
  }

  private static String in(Class<?> component, String method) {
    return "bean \"invalidTaskBeansTest.%s\", method %s.%s: "
        .formatted(component.getSimpleName(), component.getSimpleName(), method);
  }

  static class NoName {
    @TaskHandler
    void handle() {}
  }

  @Test
  void aHandlerWithoutName() {
    assertProblem(
        NoName.class,
        in(NoName.class, "handle()")
            + "@TaskHandler names no task type: write @TaskHandler(\"email:welcome\"), or bean = \"…\" with the name of a bean of type TaskType");
  }

  static class NameAndBean {
    @TaskHandler(name = "a", bean = "b")
    void handle() {}
  }

  @Test
  void aHandlerWithNameAndBean() {
    assertProblem(
        NameAndBean.class,
        in(NameAndBean.class, "handle()")
            + "@TaskHandler has both a name (\"a\") and a bean (\"b\"): set one of them");
  }

  static class NoSuchBean {
    @TaskHandler(bean = "welcomeEmail")
    void handle() {}
  }

  @Test
  void aHandlerOfABeanThatDoesNotExist() {
    assertProblem(
        NoSuchBean.class,
        in(NoSuchBean.class, "handle()")
            + "no bean of type TaskType has the name \"welcomeEmail\"; there are []: correct the name, or use the name of the task type instead");
  }

  static class Types {
    @Bean
    TaskType<String> note() {
      return TaskType.of("note", String.class);
    }

    @TaskHandler(value = "note", maxRetry = 3)
    void options(String note) {}
  }

  @Test
  void optionsInTheAnnotationAndInTheBean() {
    assertProblem(
        Types.class,
        in(Types.class, "options(String)")
            + "the annotation has options, but the bean of type TaskType for \"note\" defines them: set them there");
  }

  static class OtherPayload {
    @Bean
    TaskType<String> note() {
      return TaskType.of("note", String.class);
    }

    @TaskHandler("note")
    void handle(Integer number) {}
  }

  @Test
  void aPayloadOtherThanThatOfTheBean() {
    assertProblem(
        OtherPayload.class,
        in(OtherPayload.class, "handle(Integer)")
            + "the handler takes java.lang.Integer, but the bean of type TaskType for \"note\" has the payload java.lang.String: use the same type");
  }

  static class TwoBeans {
    @Bean
    TaskType<String> one() {
      return TaskType.of("note", String.class);
    }

    @Bean
    TaskType<Integer> two() {
      return TaskType.of("note", Integer.class);
    }
  }

  @Test
  void twoTaskTypesOfOneName() {
    assertProblem(
        TwoBeans.class,
        "bean \"two\": the task type \"note\" is also defined by bean \"one\", with other settings: define it once");
  }

  static class Twice {
    @TaskHandler("a")
    void one() {}

    @TaskHandler("a")
    void two() {}
  }

  @Test
  void twoHandlersOfOneType() {
    assertProblem(
        Twice.class,
        in(Twice.class, "two()")
            + "the task type \"a\" already has a handler (bean \"invalidTaskBeansTest.Twice\", method Twice.one()): remove one, or give them different servers");
  }

  static class TwiceByMux {
    @Bean
    Mux mux() {
      return Mux.builder().run("a", (task, context) -> {}).build();
    }

    @TaskHandler("a")
    void handle() {}
  }

  @Test
  void aHandlerOfATypeOfAMux() {
    assertProblem(
        TwiceByMux.class,
        in(TwiceByMux.class, "handle()")
            + "the task type \"a\" already has a handler (bean \"mux\"): remove one, or give them different servers");
  }

  static class TwoMuxes {
    @Bean
    Mux one() {
      return Mux.builder().otherwise((task, context) -> Outcome.done()).build();
    }

    @Bean
    Mux two() {
      return Mux.builder().otherwise((task, context) -> Outcome.done()).build();
    }
  }

  @Test
  void twoMuxesForAllOtherTypes() {
    assertProblem(
        TwoMuxes.class,
        "bean \"two\": the Mux handles all other task types, as bean \"one\" does: remove otherwise(…) from one of them");
  }

  static class OtherTypeOnOtherServer {
    @Bean
    TaskServerDefinition.Source servers() {
      return () -> List.of(TaskServerDefinition.of("a"), TaskServerDefinition.of("b"));
    }

    @TaskHandler(value = "note", server = "a")
    void one(String note) {}

    @TaskHandler(value = "note", server = "b")
    void two(Integer note) {}
  }

  @Test
  void oneNameWithTwoPayloads() {
    assertProblem(
        OtherTypeOnOtherServer.class,
        in(OtherTypeOnOtherServer.class, "two(Integer)")
            + "the task type \"note\" has another payload, result or other options than in bean \"invalidTaskBeansTest.OtherTypeOnOtherServer\", method OtherTypeOnOtherServer.one(String): use the same, or define a bean of type TaskType");
  }

  static class Private {
    @SuppressWarnings("UnusedMethod")
    @TaskHandler("a")
    private void handle() {}
  }

  @Test
  void aPrivateMethod() {
    assertProblem(
        Private.class,
        in(Private.class, "handle()")
            + "the method is private, so the proxies of Spring cannot call it: make it package-private, protected or public");
  }

  static class Static {
    @TaskHandler("a")
    static void handle() {}
  }

  @Test
  void aStaticMethod() {
    assertProblem(
        Static.class,
        in(Static.class, "handle()")
            + "the method is static, so it belongs to no bean: remove \"static\"");
  }

  static class Target {
    @TaskHandler("a")
    final void handle() {}
  }

  @Configuration
  static class FinalOnProxy {
    @Bean
    ProxyFactoryBean proxied() {
      return proxy(new Target());
    }
  }

  static ProxyFactoryBean proxy(Object target) {
    ProxyFactoryBean proxy = new ProxyFactoryBean();
    proxy.setTarget(target);
    proxy.addAdvice((MethodInterceptor) invocation -> invocation.proceed());
    return proxy;
  }

  @Test
  void aFinalMethodOfAClassProxy() {
    assertProblem(
        FinalOnProxy.class,
        "bean \"proxied\", method Target.handle(): the method is final, so the proxy of the bean cannot intercept it and would call it on an object without fields: remove \"final\"");
  }

  @Configuration
  @org.springframework.transaction.annotation.EnableTransactionManagement
  static class InterfaceProxy {

    interface Api {
      void other();
    }

    static class Implementation implements Api {
      @org.springframework.transaction.annotation.Transactional
      @Override
      public void other() {}

      @TaskHandler("a")
      public void handle() {}
    }

    @Bean
    Implementation implementation() {
      return new Implementation();
    }
  }

  @Test
  void aMethodThatTheInterfacesOfAProxyDoNotHave() {
    assertProblem(
        InterfaceProxy.class,
        "bean \"implementation\", method Implementation.handle(): the bean is a proxy of its interfaces, which do not have this method: declare it in an interface of the bean, or proxy the class (proxyTargetClass = true)");
  }

  @Scope(value = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class PerRequest {
    @TaskHandler("a")
    void handle() {}
  }

  @Test
  void aBeanOfAWebScope() {
    assertProblem(
        PerRequest.class,
        in(PerRequest.class, "handle()")
            + "the bean has scope \"request\", which does not exist on the threads of a server: make it a singleton or a prototype, and pass what it needs in the payload or the headers of the task");
  }

  static class TwoPayloads {
    @TaskHandler("a")
    void handle(String one, TaskContext context, Integer two) {}
  }

  @Test
  void twoPayloads() {
    assertProblem(
        TwoPayloads.class,
        in(TwoPayloads.class, "handle(String, TaskContext, Integer)")
            + "the method has 2 payload parameters (java.lang.String, java.lang.Integer), but a task has one payload: combine them in a record, and annotate values of headers with @TaskHeader");
  }

  static class NumberHeader {
    @TaskHandler("a")
    void handle(@TaskHeader("n") int number) {}
  }

  @Test
  void aHeaderThatIsNoText() {
    assertProblem(
        NumberHeader.class,
        in(NumberHeader.class, "handle(int)")
            + "the parameter with @TaskHeader(\"n\") is of type int, but headers are texts: make it a String or an Optional<String>");
  }

  static class Async {
    @TaskHandler("a")
    CompletionStage<String> handle() {
      return CompletableFuture.completedFuture("");
    }
  }

  @Test
  void anAsynchronousResult() {
    assertProblem(
        Async.class,
        in(Async.class, "handle()")
            + "the method returns a CompletionStage, but an attempt ends when its method returns: return the value itself, and wait for it with join(), get() or block()");
  }

  static class Generic<T> {
    @TaskHandler("a")
    void handle(T input) {}
  }

  @Test
  void aPayloadOfUnknownType() {
    assertProblem(
        Generic.class,
        in(Generic.class, "handle(Object)")
            + "the type of the parameter is T, which the class of the bean does not define: extend the generic class with a type, such as extends Base<Order>");
  }

  @TaskHandler("a")
  static class NoHandler {}

  @Test
  void aClassThatIsNoHandler() {
    assertProblem(
        NoHandler.class,
        "bean \"invalidTaskBeansTest.NoHandler\": NoHandler has @TaskHandler, but is no Handler or Action: put the annotation on a method, or implement Handler");
  }

  static class RawHandler {
    @SuppressWarnings("rawtypes")
    @Bean
    @TaskHandler("a")
    Handler raw() {
      return (input, context) -> Outcome.done();
    }
  }

  @Test
  void aHandlerOfUnknownType() {
    assertProblem(
        RawHandler.class,
        "bean \"raw\": the payload type of the Handler is not known: declare it in the class or as the type of the @Bean method, such as Handler<WelcomeEmail>");
  }

  static class Values {
    @TaskHandler(
        value = "a",
        queue = "${no.such.property}",
        maxRetry = -5,
        timeout = "soon",
        uniqueFor = "1ms",
        retention = "-PT1S")
    void handle() {}
  }

  @Test
  void attributesWithInvalidValues() {
    String where = in(Values.class, "handle()");

    assertThat(TestApp.problems(Values.class))
        .containsExactly(
            where
                + "queue = \"${no.such.property}\" has a placeholder without a value: set the property, or write a default as ${name:default}",
            where + "maxRetry = -5 is negative: set 0 or more, or omit it for 25",
            where
                + "timeout = \"soon\": \"soon\" is not a duration; write it with units, such as 250ms, 90s, 1h30m, 7d or PT90S, and 1,000,000 days at most",
            where + "uniqueFor = \"1ms\": uniqueFor must be 1 second or longer, got PT0.001S",
            where + "retention = \"-PT1S\": retention must not be negative, got PT-1S");
  }

  static class UnknownServer {
    @TaskHandler(value = "a", server = "reports")
    void handle() {}

    @TaskHandler("b")
    void other() {}
  }

  @Test
  void aServerThatDoesNotExist() {
    assertProblem(
        UnknownServer.class,
        in(UnknownServer.class, "handle()")
            + "no server has the name \"reports\"; the servers are [default]: correct it, or define a bean of type TaskServerDefinition");
  }

  static class UnknownQueue {
    @Bean
    TaskServerDefinition server() {
      return TaskServerDefinition.of("default")
          .with(s -> s.queue("mail").queues(q -> q.matching("t-*", 1)));
    }

    @TaskHandler(value = "a", queue = "mails")
    void mistyped() {}

    @TaskHandler(value = "b", queue = "t-1")
    void byPattern() {}
  }

  @Test
  void aQueueThatNoServerServes() {
    assertProblem(
        UnknownQueue.class,
        in(UnknownQueue.class, "mistyped()")
            + "the tasks of \"a\" go to queue \"mails\", which no server serves that runs the handler ({default=[mail]}): add queue(\"mails\") to the definition of a server");
  }

  static class NoHandlers {
    @Bean
    TaskServerDefinition server() {
      return TaskServerDefinition.of("reports");
    }
  }

  @Test
  void aServerWithoutHandlers() {
    assertProblem(
        NoHandlers.class,
        "server \"reports\" has no handler: add a method with @TaskHandler or a bean of type Mux, or define the server as optional()");
  }

  static class BadServers {
    @Bean
    TaskServerDefinition one() {
      return TaskServerDefinition.of("reports").with(s -> s.concurrency(0));
    }

    @Bean
    TaskServerDefinition two() {
      return TaskServerDefinition.of("reports");
    }

    @TaskHandler("a")
    void handle() {}
  }

  @Test
  void serversWithTheSameNameOrInvalidSettings() {
    assertThat(TestApp.problems(BadServers.class))
        .containsExactly(
            "server \"reports\" is defined twice: give each TaskServerDefinition its own name",
            "server \"reports\": concurrency must be 1 to 100,000, got 0");
  }

  static class Schedules {
    @ScheduledTask(name = "none")
    void none() {}

    @ScheduledTask(name = "both", cron = "@daily", every = "1h")
    void both() {}

    @ScheduledTask(name = "six", cron = "0 0 3 * * *")
    void sixFields() {}

    @ScheduledTask(name = "zone", cron = "@daily", zone = "Europe/Olso")
    void zone() {}

    @ScheduledTask(name = "zone-of-every", every = "1h", zone = "UTC")
    void zoneOfEvery() {}

    @ScheduledTask(name = "every", every = "often")
    void every() {}

    @ScheduledTask(
        name = "missed",
        every = "1h",
        missed = ScheduledTask.Missed.RUN_ALL,
        mostMissed = 0)
    void missed() {}

    @ScheduledTask(name = "", every = "1h")
    void noName() {}

    @ScheduledTask(name = "payload", every = "1h")
    void payload(String input) {}
  }

  @Test
  void schedules() {
    assertThat(TestApp.problems(Schedules.class))
        .containsExactlyInAnyOrder(
            in(Schedules.class, "none()")
                + "@ScheduledTask has no schedule: set cron = \"0 3 * * *\" or every = \"15m\"",
            in(Schedules.class, "both()")
                + "@ScheduledTask has both cron = \"@daily\" and every = \"1h\": set one of them",
            in(Schedules.class, "sixFields()")
                + "cron = \"0 0 3 * * *\": the cron spec \"0 0 3 * * *\" must have five fields (minute, hour, day of month, month, day of week), separated by spaces, but has 6: remove the seconds, which only Spring's @Scheduled has",
            in(Schedules.class, "zone()")
                + "zone = \"Europe/Olso\" is not a time zone: write a name such as Europe/Oslo, or UTC",
            in(Schedules.class, "zoneOfEvery()")
                + "zone = \"UTC\" has no effect on every = \"1h\": remove it, or use cron",
            in(Schedules.class, "every()")
                + "every = \"often\": \"often\" is not a duration; write it with units, such as 250ms, 90s, 1h30m, 7d or PT90S, and 1,000,000 days at most",
            in(Schedules.class, "missed()")
                + "mostMissed = 0: the maximum number of missed instants must be 1 to 100,000, got 0",
            in(Schedules.class, "noName()")
                + "@ScheduledTask has no name: set one that is unique on this Redis",
            in(Schedules.class, "payload(String)")
                + "the method has a payload parameter (java.lang.String), but a scheduled task has no payload: remove it, or use @TaskHandler and a bean of type ScheduleEntry");
  }

  static class ScheduleTwice {
    @Bean
    ScheduleEntry entry() {
      return ScheduleEntry.of("nightly", Schedule.cron("@daily"), TaskType.of("nightly"));
    }

    @ScheduledTask(name = "nightly", cron = "@daily")
    void nightly() {}
  }

  @Test
  void aScheduleNameTwice() {
    assertProblem(
        ScheduleTwice.class,
        "bean \"entry\": there is another schedule entry with the name \"nightly\": give each entry its own name");
  }

  static class ScheduleTwiceByCustomizer {
    @Bean
    SchedulerCustomizer customizer() {
      return scheduler -> scheduler.add("nightly", Schedule.cron("@daily"), TaskType.of("other"));
    }

    @ScheduledTask(name = "nightly", cron = "@daily")
    void nightly() {}
  }

  @Test
  void aScheduleNameThatACustomizerUses() {
    assertProblem(
        ScheduleTwiceByCustomizer.class,
        in(ScheduleTwiceByCustomizer.class, "nightly()")
            + "there is another schedule entry with the name \"nightly\": give each entry its own name");
  }

  static class Aggregators {
    @TaskAggregator
    Task none(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskAggregator(group = "a", type = "b")
    Task both(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskAggregator(group = "a")
    Task noList(Task task) {
      return task;
    }

    @TaskAggregator(group = "b", into = "c")
    Task intoOfTask(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskAggregator(group = "c")
    Integer noInto(List<Task> tasks) {
      return tasks.size();
    }

    @TaskAggregator(group = "d", into = "note")
    Integer otherInto(List<Task> tasks) {
      return tasks.size();
    }

    @TaskAggregator(group = "e")
    Task first(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskAggregator(group = "e")
    Task second(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskHandler("note")
    void note(String note) {}
  }

  @Test
  void aggregators() {
    String signature =
        "an aggregator has a parameter List<Payload type> or List<Task>, optionally a String for the name of the group, and returns a payload, a Task or an Aggregated: change the method";
    assertThat(TestApp.problems(Aggregators.class))
        .containsExactlyInAnyOrder(
            in(Aggregators.class, "none(List)")
                + "@TaskAggregator is for no group: set group = \"digest:*\" or the task type, such as type = \"notification\"",
            in(Aggregators.class, "both(List)")
                + "@TaskAggregator has both group = \"a\" and type = \"b\": set one of them",
            in(Aggregators.class, "noList(Task)") + signature,
            in(Aggregators.class, "intoOfTask(List)")
                + "into = \"c\" has no effect, since the method returns a task: remove it, or return the payload",
            in(Aggregators.class, "noInto(List)")
                + "@TaskAggregator needs to know the task type of what it returns: set into = \"…\" (no task type has input java.lang.Integer; the types are \"note\" (java.lang.String): add a handler or a bean of type TaskType)",
            in(Aggregators.class, "otherInto(List)")
                + "the method returns java.lang.Integer, but the task type \"note\" has the payload java.lang.String: return that, or set into to another type",
            in(Aggregators.class, "second(List)")
                + "group \"e\" already has an aggregator (bean \"invalidTaskBeansTest.Aggregators\", method Aggregators.first(List)): remove one, or give them different servers");
  }

  @Test
  void noRedisConnection() {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.register(AsynqConfiguration.class, Valid.class);

      assertThatThrownBy(context::refresh)
          .isInstanceOf(InvalidTaskBeansException.class)
          .hasMessage(
              "1 problem with the task beans of the application context:\n"
                  + "- no bean of type RedisConnection, so nothing can reach Redis: define one, such as @Bean RedisConnection redis() { return RedisConnection.open(\"redis://localhost:6379\"); }");
    }
  }

  static class SecondConnection {
    @Bean
    RedisConnection second() {
      return RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1?retryFor=0s"));
    }

    @TaskHandler("a")
    void handle() {}
  }

  @Test
  void severalRedisConnections() {
    assertThat(TestApp.problems(SecondConnection.class))
        .singleElement()
        .asString()
        .startsWith("several beans of type RedisConnection ([")
        .endsWith("second]), of which none is primary: mark one with @Primary");
  }

  static class Valid {
    @TaskHandler("a")
    void handle() {}
  }
}
