package io.asynq4j.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Routing of tasks to handlers: requirements z01 to z11 of docs/reference/requirements.md. */
class MuxTest {

  private static final TaskContext CONTEXT = new FakeTaskContext("id");

  private static Handler<Task> answering(String text) {
    return (task, context) -> Outcome.done(text);
  }

  private static Mux mux(String... patterns) {
    Mux.Builder builder = Mux.builder();
    for (String pattern : patterns) {
      builder.handle(pattern, answering(pattern));
    }
    return builder.build();
  }

  private static Outcome handle(Mux mux, String type) throws Exception {
    return mux.handle(Task.of(type), CONTEXT);
  }

  @Test
  void z01_z02_z03_theEqualPatternIsPreferredThenTheLongestPrefix() throws Exception {
    Mux mux = mux("email:", "email:signup", "csv:export", "e");

    assertThat(handle(mux, "email:signup")).isEqualTo(Outcome.done("email:signup"));
    assertThat(handle(mux, "csv:export")).isEqualTo(Outcome.done("csv:export"));
    assertThat(handle(mux, "email:daily")).isEqualTo(Outcome.done("email:"));
    assertThat(handle(mux, "email:signup:again")).isEqualTo(Outcome.done("email:signup"));
    assertThat(handle(mux, "else")).isEqualTo(Outcome.done("e"));
    assertThat(mux.pattern("email:daily")).contains("email:");
    assertThat(mux.pattern("none")).isEmpty();
    assertThat(mux.patterns())
        .containsExactlyInAnyOrder("email:", "email:signup", "csv:export", "e");
  }

  @Test
  void aPatternKnowsNoSeparatorsAndMindsCase() {
    assertThat(mux("email").pattern("emailer:x")).contains("email");
    assertThat(mux("email").pattern("Email")).isEmpty();
  }

  @Test
  @SuppressWarnings("NullAway") // what the compiler of a user may not see
  void z04_aHandlerThatIsNoneIsRefusedWhenItIsAdded() {
    Mux.Builder builder = Mux.builder();
    TaskType<Payload> type = TaskType.of("t", Payload.class);

    assertThatThrownBy(() -> builder.handle("t", null)).hasMessage("handler");
    assertThatThrownBy(() -> builder.handle(type, null)).hasMessage("handler");
    assertThatThrownBy(() -> builder.run("t", null)).hasMessage("action");
    assertThatThrownBy(() -> builder.run(type, null)).hasMessage("action");
    assertThatThrownBy(() -> builder.otherwise(null)).hasMessage("handler");
    assertThatThrownBy(() -> builder.use(null)).hasMessage("middleware");
    assertThat(builder.build().patterns()).isEmpty();
  }

  @Test
  void z05_aBlankPatternIsRefusedWithAWayOut() {
    for (String blank : List.of("", "  ")) {
      assertThatThrownBy(() -> Mux.builder().handle(blank, answering("x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("otherwise(handler)");
    }
  }

  @Test
  void z06_aSecondHandlerForAPatternIsRefusedAndTheFirstStays() throws Exception {
    Mux.Builder builder = Mux.builder().handle("t", answering("first"));

    assertThatThrownBy(() -> builder.handle("t", answering("second")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pattern \"t\" already has a handler; register one per pattern");
    assertThatThrownBy(() -> builder.run(TaskType.of("t"), (input, context) -> {}))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(handle(builder.build(), "t")).isEqualTo(Outcome.done("first"));
  }

  @Test
  void z07_z08_aTypeThatNoPatternFitsIsNotFound() {
    Mux mux = mux("csv:export");

    for (String type : List.of("email", "csv:", "csv")) {
      assertThatThrownBy(() -> handle(mux, type))
          .isInstanceOfSatisfying(
              HandlerNotFoundException.class, e -> assertThat(e.type()).isEqualTo(type))
          .hasMessage("handler not found for task \"" + type + "\"");
    }
  }

  @Test
  void whatFitsNoPatternGoesToOtherwise() throws Exception {
    Mux mux = Mux.builder().handle("a", answering("a")).otherwise(answering("rest")).build();

    assertThat(handle(mux, "abc")).isEqualTo(Outcome.done("a"));
    assertThat(handle(mux, "b")).isEqualTo(Outcome.done("rest"));
    assertThat(mux.pattern("b")).isEmpty();
  }

  private static Middleware tracing(String name, List<String> trace) {
    return (task, context, next) -> {
      trace.add(name + " before " + task.type());
      try {
        return next.call();
      } finally {
        trace.add(name + " after");
      }
    };
  }

  @Test
  void z09_z11_middlewaresRunInTheirOrderAlsoAroundHandlersAddedBefore() throws Exception {
    List<String> trace = new ArrayList<>();
    Mux mux =
        Mux.builder()
            .run("email:", (task, context) -> trace.add("handler"))
            .use(tracing("first", trace))
            .use(tracing("second", trace))
            .build();

    assertThat(handle(mux, "email:daily")).isEqualTo(Outcome.done());

    assertThat(trace)
        .containsExactly(
            "first before email:daily",
            "second before email:daily",
            "handler",
            "second after",
            "first after");
  }

  @Test
  void middlewaresSeeThatThereIsNoHandler() {
    List<String> trace = new ArrayList<>();
    Mux mux = Mux.builder().use(tracing("first", trace)).build();

    assertThatThrownBy(() -> handle(mux, "x")).isInstanceOf(HandlerNotFoundException.class);

    assertThat(trace).containsExactly("first before x", "first after");
  }

  @Test
  void aMiddlewareMayDecideByItself() throws Exception {
    List<String> trace = new ArrayList<>();
    Mux mux =
        Mux.builder()
            .use((task, context, next) -> Outcome.drop())
            .use(tracing("never", trace))
            .handle("t", answering("never"))
            .build();

    assertThat(handle(mux, "t")).isEqualTo(Outcome.drop());
    assertThat(trace).isEmpty();
  }

  @Test
  void z10_withoutMiddlewareTheHandlerIsCalledWithItsTaskAndContext() throws Exception {
    Task task = Task.of("t", Payload.ofUtf8("p"));
    List<Object> seen = new ArrayList<>();
    Mux mux =
        Mux.builder()
            .handle(
                "t",
                (given, context) -> {
                  seen.add(given);
                  seen.add(context);
                  return Outcome.drop();
                })
            .build();

    assertThat(mux.handle(task, CONTEXT)).isEqualTo(Outcome.drop());
    assertThat(seen).containsExactly(task, CONTEXT);
  }

  record Resize(String url, int width) {}

  @Test
  void aTypedHandlerGetsItsInputAndABadPayloadNeverReachesIt() throws Exception {
    List<Resize> seen = new ArrayList<>();
    Mux mux =
        Mux.builder()
            .run(TaskType.of("resize", Resize.class), (resize, context) -> seen.add(resize))
            .build();

    mux.handle(Task.of("resize", Payload.ofUtf8("{\"url\":\"u\",\"width\":3}")), CONTEXT);
    assertThatThrownBy(() -> mux.handle(Task.of("resize", Payload.ofUtf8("{")), CONTEXT))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith("task type \"resize\": the payload (1 bytes)");

    assertThat(seen).containsExactly(new Resize("u", 3));
  }

  @Test
  void aBuilderThatIsReusedDoesNotChangeWhatItHasBuilt() {
    Mux.Builder builder = Mux.builder().handle("a", answering("a"));
    Mux mux = builder.build();

    builder.handle("b", answering("b"));

    assertThat(mux.pattern("b")).isEmpty();
  }

  @Test
  void thePatternIsTheOneThatLookingAtAllWouldFind() {
    // Few letters, so that patterns are prefixes of each other; two of them outside of ASCII, where
    // the order of chars is not that of code points.
    String letters = "ab:\ud83d\ude00\uffee";
    Random random = new Random(42);
    int found = 0;
    for (int round = 0; round < 3_000; round++) {
      Set<String> patterns = new HashSet<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        patterns.add(word(letters, 1 + random.nextInt(5), random));
      }
      Mux mux = mux(patterns.toArray(new String[0]));
      for (int i = 0; i < 10; i++) {
        String type = word(letters, 1 + random.nextInt(7), random);
        Optional<String> naive =
            patterns.stream().filter(type::startsWith).max(Comparator.comparing(String::length));
        assertThat(mux.pattern(type)).as("%s in %s", type, patterns).isEqualTo(naive);
        found += naive.isPresent() ? 1 : 0;
      }
    }
    assertThat(found).isBetween(5_000, 29_000);
  }

  private static String word(String letters, int length, Random random) {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < length; i++) {
      word.append(letters.charAt(random.nextInt(letters.length())));
    }
    return word.toString();
  }
}
