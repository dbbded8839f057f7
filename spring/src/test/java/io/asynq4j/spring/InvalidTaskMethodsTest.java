package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.ResultTaskType;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Async;

/** Mistakes that compile and look right, but would lose tasks at run time. */
class InvalidTaskMethodsTest {

  private static void assertProblems(Class<?> component, String... problems) {
    assertThat(TestApp.problems(component)).containsExactly(problems);
  }

  private static String in(Class<?> component, String method) {
    return "bean \"invalidTaskMethodsTest.%s\", method %s.%s: "
        .formatted(component.getSimpleName(), component.getSimpleName(), method);
  }

  static class Blank {
    @TaskHandler("${none:}")
    void a() {}

    @TaskHandler(bean = " ")
    void b() {}

    @TaskAggregator(group = "${none:}")
    Task c(List<Task> tasks) {
      return tasks.get(0);
    }

    @TaskAggregator(type = " ")
    Task d(List<Task> tasks) {
      return tasks.get(0);
    }
  }

  @Test
  void namesThatAreBlank() {
    assertProblems(
        Blank.class,
        in(Blank.class, "a()")
            + "name = \"${none:}\" is blank: write a value, or set the property of the placeholder",
        in(Blank.class, "b()")
            + "bean = \" \" is blank: write a value, or set the property of the placeholder",
        in(Blank.class, "c(List)")
            + "group = \"${none:}\" is blank: write a value, or set the property of the placeholder",
        in(Blank.class, "d(List)")
            + "type = \" \" is blank: write a value, or set the property of the placeholder");
  }

  static class BlankSchedules {
    @ScheduledTask(name = "a", cron = "${none:}")
    void a() {}

    @ScheduledTask(name = "b", every = " ")
    void b() {}
  }

  /** Only "-" disables a schedule. */
  @Test
  void schedulesThatAreBlank() {
    assertProblems(
        BlankSchedules.class,
        in(BlankSchedules.class, "a()")
            + "cron = \"${none:}\" is blank: write a value, or set the property of the placeholder",
        in(BlankSchedules.class, "b()")
            + "every = \" \" is blank: write a value, or set the property of the placeholder");
  }

  static class TwoNames {
    @TaskHandler(value = "a", name = "b")
    void handle() {}
  }

  @Test
  void aNameThatIsGivenTwice() {
    assertThat(TestApp.problems(TwoNames.class))
        .singleElement()
        .asString()
        .startsWith(
            in(TwoNames.class, "handle()")
                + "the annotation is not valid: Different @AliasFor mirror values")
        .endsWith("with values of [b] and [a]. Set one of them");
  }

  static class Headers {
    @TaskHandler("a")
    void a(@TaskHeader("attempts") Optional<Integer> attempts) {}

    @TaskHandler("b")
    void b(@TaskHeader("") String tenant) {}
  }

  @Test
  void headersThatAreNoTextsOrHaveNoName() {
    assertProblems(
        Headers.class,
        in(Headers.class, "a(Optional)")
            + "the parameter with @TaskHeader(\"attempts\") is of type Optional<Integer>, but headers are texts: make it a String or an Optional<String>",
        in(Headers.class, "b(String)") + "@TaskHeader(\"\") names no header: name one");
  }

  static class Variables<T> {
    @TaskHandler("a")
    void a(List<T> orders) {}

    @TaskHandler("b")
    void b(T[] orders) {}

    @TaskHandler("c")
    Map<String, List<T>> c(List<?> orders) {
      return Map.of();
    }

    @Bean
    @TaskHandler("d")
    <S> Handler<List<S>> bean() {
      return (orders, context) -> Outcome.done();
    }
  }

  @Test
  void typesWithUndefinedVariables() {
    assertProblems(
        Variables.class,
        in(Variables.class, "a(List)")
            + "the type of the parameter is java.util.List<T>, which the class of the bean does not define: extend the generic class with a type, such as extends Base<Order>",
        in(Variables.class, "b(Object[])")
            + "the type of the parameter is T[], which the class of the bean does not define: extend the generic class with a type, such as extends Base<Order>",
        in(Variables.class, "c(List)")
            + "the type of the result is java.util.Map<java.lang.String, java.util.List<T>>, which the class of the bean does not define: extend the generic class with a type, such as extends Base<Order>",
        "bean \"bean\": the payload type of the Handler is not known: declare it in the class or as the type of the @Bean method, such as Handler<WelcomeEmail>");
  }

  static class WebScope {
    @Bean
    @Scope("request")
    @TaskHandler("a")
    Handler<String> handler() {
      return (input, context) -> Outcome.done();
    }
  }

  @Test
  void aHandlerBeanOfAWebScope() {
    assertProblems(
        WebScope.class,
        "bean \"handler\": the bean has scope \"request\", which does not exist on the threads of a server: make it a singleton or a prototype, and pass what it needs in the payload or the headers of the task");
  }

  static class Background {
    @Async
    @TaskHandler("a")
    void a() {}
  }

  @Async
  static class AllInBackground {
    @ScheduledTask(name = "b", every = "1h")
    void b() {}
  }

  @Test
  void methodsThatSpringRunsOnAnotherThread() {
    String problem =
        "the method has @Async, so that an attempt would end before its work, and never fail: remove @Async, since a server has its own threads";

    assertProblems(Background.class, in(Background.class, "a()") + problem);
    assertProblems(AllInBackground.class, in(AllInBackground.class, "b()") + problem);
  }

  static class OtherResult {
    @Bean
    ResultTaskType<String, Integer> length() {
      return TaskType.of("length", String.class).returning(Integer.class);
    }

    @TaskHandler("length")
    String handle(String text) {
      return text;
    }
  }

  @Test
  void aResultOtherThanThatOfTheBean() {
    assertProblems(
        OtherResult.class,
        in(OtherResult.class, "handle(String)")
            + "the handler returns java.lang.String, but the bean of type TaskType for \"length\" has the result java.lang.Integer: use the same type");
  }

  static class Aggregators {
    @TaskHandler("note")
    void note(String note) {}

    @TaskAggregator(type = "note", into = "asynchronous")
    CompletionStage<String> asynchronous(List<String> notes) {
      return CompletableFuture.completedFuture("");
    }

    @TaskAggregator(group = "a", into = "outcome")
    Outcome outcome(List<String> notes) {
      return Outcome.done();
    }

    @TaskAggregator(type = "note")
    Task number(List<Integer> notes) {
      return Task.of("note");
    }
  }

  @Test
  void aggregatorsOfOtherTypes() {
    String signature =
        "an aggregator has a parameter List<Payload type> or List<Task>, optionally a String for the name of the group, and returns a payload, a Task or an Aggregated: change the method";

    assertProblems(
        Aggregators.class,
        in(Aggregators.class, "asynchronous(List)") + signature,
        in(Aggregators.class, "number(List)")
            + "the method takes a list of java.lang.Integer, but the task type \"note\" has the payload java.lang.String: take a list of that",
        in(Aggregators.class, "outcome(List)") + signature);
  }

  static class MuxWithQueue {
    @Bean
    Mux mux() {
      return Mux.builder()
          .handle(
              TaskType.of("a", String.class).with(o -> o.queue("mail")),
              (input, context) -> Outcome.done())
          .build();
    }

    @Bean
    TaskServerDefinition server() {
      return TaskServerDefinition.of("default");
    }
  }

  @Test
  void aQueueOfAMuxThatNoServerServes() {
    assertProblems(
        MuxWithQueue.class,
        "bean \"mux\": the tasks of \"a\" go to queue \"mail\", which no server serves that runs the handler ({default=[default]}): add queue(\"mail\") to the definition of a server");
  }

  static class OnlyAggregators {
    @TaskAggregator(type = "note", into = "digest")
    String combine(List<String> notes) {
      return String.join("\n", notes);
    }
  }

  @Test
  void aggregatorsWithoutAServer() {
    assertProblems(
        OnlyAggregators.class,
        in(OnlyAggregators.class, "combine(List)")
            + "no server runs the aggregator, because a server without handlers is not started: add a handler, such as for the combined task");
  }

  static class SharedQueue {
    @Bean
    TaskServerDefinition one() {
      return TaskServerDefinition.of("one");
    }

    @Bean
    TaskServerDefinition two() {
      return TaskServerDefinition.of("two");
    }

    @TaskHandler(value = "a", server = "one")
    void a() {}

    @TaskHandler("b")
    void b() {}
  }

  @Test
  void aQueueThatAServerWithoutTheHandlerServes() {
    assertProblems(
        SharedQueue.class,
        in(SharedQueue.class, "a()")
            + "server \"two\" also serves queue \"default\" of \"a\", but the handler runs only on server \"one\": set a queue that only this server serves, or remove server = \"one\"");
  }
}
