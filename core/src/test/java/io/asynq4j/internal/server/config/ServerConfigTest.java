package io.asynq4j.internal.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskType;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServerBuilder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Settings without effect that build() warns about. */
class ServerConfigTest {

  private static final TaskType<Void> WELCOME =
      TaskType.of("email:welcome").with(o -> o.queue("mail"));

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://localhost:1"));
  private final CapturedLogs logs = new CapturedLogs();

  @AfterEach
  void close() {
    logs.close();
    redis.close();
  }

  private static Mux welcome() {
    return Mux.builder().run(WELCOME, (input, context) -> {}).build();
  }

  private TaskServerBuilder server(Mux mux) {
    return TaskServer.builder(redis).handlers(mux);
  }

  private List<String> warnings(TaskServerBuilder builder) {
    builder.build();
    return logs.lines("WARN");
  }

  @Test
  void aHandlerForAQueueThatIsNotServedIsAWarning() {
    assertThat(warnings(server(welcome()).queue("default")))
        .singleElement()
        .asString()
        .contains("\"email:welcome\" has a handler and goes to queue \"mail\"");
  }

  @Test
  void aQueueThatIsServedByNameOrPatternIsNone() {
    assertThat(warnings(server(welcome()).queue("mail"))).isEmpty();
    assertThat(
            warnings(
                server(welcome())
                    .queues(q -> q.matching("m*", 1))
                    .queue("more", q -> q.maxActive(2))))
        .isEmpty();
  }

  @Test
  void aRetryPolicyOfATypeWithoutAHandlerIsAWarning() {
    RetryPolicy policy = RetryPolicy.standard();

    assertThat(
            warnings(
                server(welcome())
                    .queue("mail")
                    .retryPolicy(WELCOME, policy)
                    .retryPolicy(TaskType.of("email:\nwelcom"), policy)))
        .singleElement()
        .asString()
        .contains("retryPolicy is set for task type \"email:\\nwelcom\"");
  }

  @Test
  void aHandlerOfEverythingHandlesEveryType() {
    Mux all = Mux.builder().otherwise((task, context) -> Outcome.done()).build();
    TaskType<Void> any = TaskType.of("any");

    assertThat(warnings(server(all).retryPolicy(any, RetryPolicy.standard()))).isEmpty();
    assertThat(
            warnings(
                TaskServer.builder(redis)
                    .handlers((task, context) -> Outcome.done())
                    .retryPolicy(any, RetryPolicy.standard())))
        .isEmpty();
  }

  @Test
  void aMuxWithoutHandlersIsRefused() {
    assertThatIllegalStateException()
        .isThrownBy(() -> server(Mux.builder().build()).build())
        .withMessageContaining("the Mux has no handler");
  }

  @Test
  void aMuxWithoutHandlersMayCareForDefinedQueues() {
    assertThat(
            warnings(
                server(Mux.builder().build())
                    .queues(q -> q.defined(definition -> ServingMode.NONE))
                    .queue("unknown", q -> q.maxActive(1))))
        .isEmpty();
  }
}
