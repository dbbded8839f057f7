package io.asynq4j.faults;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.EnqueueResult.Failed;
import io.asynq4j.client.TaskClient;
import io.asynq4j.faults.FaultProxy.Fault;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** Results of enqueues when connections fail. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class TaskClientFaultsIT {

  private static final Task TASK = Task.of("t");

  private TestRedis server;
  private FaultProxy proxy;
  private RedisConnection redis;
  private TaskClient client;

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    server.flush();
    proxy = new FaultProxy(server.primaries().get(0).port());
    open(config().build());
  }

  private RedisConfig.Builder config() {
    return RedisConfig.builder()
        .standalone("127.0.0.1", proxy.port())
        .commandTimeout(ofMillis(400))
        .retryFor(ofMillis(600));
  }

  private void open(RedisConfig config) {
    redis = RedisConnection.open(config);
    client = TaskClient.create(redis);
    // Loads the scripts, and registers the queue.
    client.enqueue(TASK, o -> o.queue("q").id("first").group("g"));
    client.enqueue(TASK, o -> o.queue("q").id("second"));
  }

  @AfterEach
  void disconnect() {
    client.close();
    redis.close();
    proxy.close();
  }

  private long pending() {
    try (Connection connection = TestRedis.connect(server.primaries().get(0))) {
      return (Long)
          connection.executeCommand(new CommandArguments(Command.LLEN).add("asynq:{q}:pending"));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"CUT_BEFORE", "CUT_AFTER"})
  void aTaskWhoseAnswerIsLostIsThereOnce(Fault fault) {
    proxy.next("EVALSHA", fault);
    TaskInfo direct = client.enqueue(TASK, o -> o.queue("q").uniqueFor(ofHours(1))).orThrow();
    assertThat(proxy.isSprung()).isTrue();
    proxy.next("EVALSHA", fault);
    EnqueueResult async = client.enqueueAsync(TASK, o -> o.queue("q")).toCompletableFuture().join();
    proxy.next("EVALSHA", fault);
    List<EnqueueResult> many =
        client.enqueueAll(
            IntStream.range(0, 120)
                .mapToObj(i -> EnqueueRequest.of(TASK, o -> o.queue("q")))
                .toList());

    assertThat(direct.uniqueKey()).isNotEmpty();
    assertThat(async.isEnqueued()).isTrue();
    assertThat(many).allMatch(EnqueueResult::isEnqueued);
    assertThat(pending()).isEqualTo(1 + 1 + 1 + 120);
  }

  @Test
  void fixesW09_whenACallInTheMiddleFailsOnlyItsTasksAreInDoubt() {
    client.close();
    redis.close();
    open(config().numberedEnqueue(false).build());
    // The kinds go by separate calls, and the second is the one that breaks. Unnumbered calls begin
    // with a PING, which passes.
    List<EnqueueRequest> requests =
        List.of(
            EnqueueRequest.of(TASK, o -> o.queue("p").id("a")),
            EnqueueRequest.of(TASK, o -> o.queue("q").id("b").group("g")),
            EnqueueRequest.of(TASK, o -> o.queue("q").id("c")),
            EnqueueRequest.of(TASK, o -> o.queue("r").id("d")));
    proxy.next("asynq:{q}:groups", Fault.CUT_AFTER);

    List<EnqueueResult> results = client.enqueueAll(requests);

    assertThat(results)
        .extracting(EnqueueResult::isEnqueued)
        .containsExactly(true, false, false, true);
    assertThat(doubt(results.get(1))).isTrue();
    assertThat(doubt(results.get(2))).isFalse();
    assertThat(((Failed) results.get(2)).error())
        .hasMessageStartingWith("not sent because an earlier call failed: lost the reply of Redis");
  }

  private static boolean doubt(EnqueueResult result) {
    RuntimeException error = ((Failed) result).error();
    assertThat(error).isInstanceOf(BrokerUnavailableException.class);
    return ((BrokerException) error).mayHaveBeenApplied();
  }
}
