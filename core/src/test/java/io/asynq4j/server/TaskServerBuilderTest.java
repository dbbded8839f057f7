package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RateLimit;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer.ServingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Settings that follow from others. */
class TaskServerBuilderTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));

  @AfterEach
  void close() {
    redis.close();
  }

  private TaskServerBuilder server() {
    return TaskServer.builder(redis).handlers((task, context) -> Outcome.done());
  }

  @Test
  void aShortLeaseAloneShortensTheHeartbeat() {
    assertThat(server().timing(timing -> timing.lease(Duration.ofSeconds(6))).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(server().timing(timing -> timing.lease(Duration.ofSeconds(3))).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aQueueIsNamedByItsNameOrItsText() {
    QueueName mail = QueueName.of("mail");
    RateLimit rate = RateLimit.parse("10/s");

    ServerConfig byName = server().queue(mail, q -> q.maxActive(2).rateLimit(rate)).config();
    ServerConfig byText =
        server().queue("mail", 1).queue("mail", q -> q.maxActive(2).rateLimit(rate)).config();

    assertThat(byName.queues()).isEqualTo(byText.queues());
    assertThat(byName.rules()).isEqualTo(byText.rules());
    assertThat(
            server()
                .queue(mail, 3)
                .queue(mail, QueueSettings::ordered)
                .config()
                .rulesOf(mail)
                .ordered())
        .isTrue();
  }

  @Test
  void aServerMayServeQueuesByNameAndByPattern() {
    TaskServer named = server().queue("mail").queues(q -> q.matching("tenant-*", 1)).build();

    assertThat(named.mayServe("mail")).isTrue();
    assertThat(named.mayServe("tenant-7")).isTrue();
    assertThat(named.mayServe("default")).isFalse();
    named.removeQueue("mail");
    assertThat(named.mayServe("mail")).isFalse();
    assertThat(server().build().mayServe("default")).isTrue();
    assertThat(server().queues(q -> q.defined(d -> ServingMode.PROCESS)).build().mayServe("any"))
        .isTrue();
  }

  @Test
  void settingsOfGroupsAreCheckedWithoutAnAggregatorToo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().groups(groups -> groups.parallelism(0)).config())
        .withMessage("groups.parallelism must be 1 or greater, got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().groups(groups -> groups.timeout(Duration.ZERO)).config())
        .withMessage("groups.timeout must be 1 second or longer, got PT0S");
  }

  @Test
  void anAggregatorOfOneTypeIsNotAcceptedForAnother() {
    TaskType<String> mail = TaskType.of("mail", String.class);
    TaskType<String> news = TaskType.of("news", String.class);
    GroupAggregator ofNews = GroupAggregator.of(news, news, inputs -> inputs.get(0));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().groups(groups -> groups.aggregator(mail, ofNews)))
        .withMessage("the aggregator of task type \"mail\" combines only tasks of type \"news\"");
    assertThat(server().groups(groups -> groups.aggregator(news, ofNews)).config().groups())
        .isNotNull();
  }

  @Test
  void handlersAndDefinitionsAreSetOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> server().fromDefinitions(List.of(), Map.of(), TaskServer.UnknownNames.WARN))
        .withMessageStartingWith("handlers are set already");
    TaskServerBuilder defined =
        TaskServer.builder(redis)
            .fromDefinitions(List.of(), Map.of(), TaskServer.UnknownNames.WARN);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defined.handlers((task, context) -> Outcome.done()))
        .withMessageStartingWith("handlers are set already");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> defined.queues(q -> q.defined(definition -> TaskServer.ServingMode.PROCESS)))
        .withMessage(
            "task definitions are set already: call either fromDefinitions(…) or queues(q -> q.defined(…)), once");
  }

  private TaskServerBuilder checkedEvery(Duration interval) {
    return server().timing(timing -> timing.healthCheck(interval, failure -> {}));
  }

  @Test
  void theIntervalOfHealthChecksHasBounds() {
    assertThat(checkedEvery(Duration.ofMillis(100)).build()).isNotNull();
    assertThat(checkedEvery(Duration.ofHours(1)).build()).isNotNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> checkedEvery(Duration.ofMillis(99)).build())
        .withMessage("timing.healthCheck must be 100ms to 1h, got 99ms");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> checkedEvery(Duration.ofHours(1).plusMillis(1)).build())
        .withMessageStartingWith("timing.healthCheck must be 100ms to 1h");
  }

  @Test
  void aHeartbeatThatIsTooLongForTheLeaseIsReportedWithTheName() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                server()
                    .timing(t -> t.lease(Duration.ofSeconds(10)).heartbeat(Duration.ofSeconds(8)))
                    .config())
        .withMessageContainingAll(
            "timing.heartbeat (at most half of timing.lease) must be", "5s", "8s");
  }

  @Test
  void aLongLeaseAloneLeavesTheHeartbeatAsItIs() {
    assertThat(server().config().heartbeat()).isEqualTo(Duration.ofSeconds(5));
    assertThat(server().timing(timing -> timing.lease(Duration.ofHours(1))).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aHeartbeatThatIsSetStaysAsItIs() {
    assertThat(
            server()
                .timing(
                    timing -> timing.heartbeat(Duration.ofSeconds(1)).lease(Duration.ofSeconds(30)))
                .config()
                .heartbeat())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anOrderedQueueWithSeveralActiveTasksIsRejectedWithBothSettings() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().queue("orders", q -> q.ordered().maxActive(5)))
        .withMessage(
            "queue \"orders\": ordered() allows one active task at a time, but maxActive is 5:"
                + " leave out one of them");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                server()
                    .queue("orders", q -> q.maxActive(5))
                    .queue("orders", QueueSettings::ordered))
        .withMessageContaining("maxActive is 5");
    assertThat(server().queue("orders", q -> q.maxActive(1).ordered()).config().rules())
        .containsOnly(entry(QueueName.of("orders"), new QueueRules(0, true)));
  }

  @Test
  void twoWeightsOfOneQueueAreRejectedWithBoth() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().queue("mail", 3).queue("mail", 5))
        .withMessage("queue \"mail\": weight is 3 and cannot be 5 too: set it once");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().queue("mail", 0))
        .withMessage("queue \"mail\": weight must be 1 or greater, got 0");
  }

  @Test
  void settingsOfOneQueueAddUp() {
    ServerConfig config = server().queue("mail", 3).queue("mail", q -> q.maxActive(20)).config();

    assertThat(config.queues()).containsOnly(entry(QueueName.of("mail"), 3));
    assertThat(config.rules()).containsOnly(entry(QueueName.of("mail"), new QueueRules(20, false)));
  }
}
