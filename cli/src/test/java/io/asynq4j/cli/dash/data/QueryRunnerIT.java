package io.asynq4j.cli.dash.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.SampleTasks;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries on a real Redis, and their cost. */
class QueryRunnerIT {

  private static final Query NO_ROW = new Query.Queues(List.of());

  private final EmbeddedRedis server = EmbeddedRedis.start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final QueryRunner lookup = new QueryRunner(redis, Duration.ofSeconds(1));

  @AfterEach
  void close() {
    redis.close();
    server.close();
  }

  private FetchResult look(Query wish) {
    return lookup.look(wish, () -> false);
  }

  private QueryResult answer(Query wish) {
    QueryResult answer = look(wish).answer();
    assertThat(answer).isNotNull();
    return Objects.requireNonNull(answer);
  }

  private static Query.Tasks tasks(TaskState state, String search, int limit) {
    return new Query.Tasks("mail", state, null, 0, limit, search, null);
  }

  @Test
  void queuesAreSeenWithTheirSizesAndMemory() {
    SampleTasks.oneOfEach(redis, "mail");

    QueryResult.Overview overview = look(new Query.Queues(List.of("mail"))).overview();

    QueueRow row = overview.rows().get(0);
    assertThat(row.name()).isEqualTo("mail");
    assertThat(row.size()).isEqualTo(7);
    assertThat(row.memory()).isPositive();
    assertThat(overview.totals().size(TaskState.PENDING)).isEqualTo(1);
    assertThat(overview.totals().seen()).isEqualTo(1);
  }

  @Test
  void everyStateIsListed() {
    SampleTasks.oneOfEach(redis, "mail");
    for (TaskState state : TaskState.values()) {
      Query.Tasks wish =
          new Query.Tasks(
              "mail", state, state == TaskState.AGGREGATING ? "digest" : null, 0, 10, "", null);
      assertThat(((QueryResult.Tasks) answer(wish)).tasks())
          .as(state.word())
          .extracting(TaskInfo::id)
          .containsExactly(state.word() + "-1");
    }
    assertThat(((QueryResult.Groups) answer(new Query.Groups("mail"))).groups())
        .containsExactly(new QueryResult.Group("digest", 1));
  }

  @Test
  void aTaskIsExplained() {
    SampleTasks.oneOfEach(redis, "mail");
    QueryResult.Task task = (QueryResult.Task) answer(new Query.Task("mail", "archived-1"));
    assertThat(task.task().lastError()).isEqualTo("no such user");
    assertThat(task.why()).contains("archived");
  }

  @Test
  void aMissingTaskIsNotAnOutage() {
    SampleTasks.pending(redis, "mail", "p", 1);
    assertThat(((QueryResult.Nothing) answer(new Query.Task("mail", "none"))).why())
        .contains("none");
    assertThat(((QueryResult.Nothing) answer(new Query.Groups("none"))).why()).contains("none");
    assertThat(((QueryResult.Events) answer(new Query.Events("none", 0, 10))).schedule()).isNull();
    assertThat(((QueryResult.Servers) answer(new Query.Servers())).servers()).isEmpty();
    assertThat(((QueryResult.Schedules) answer(new Query.Schedules())).schedules()).isEmpty();
    assertThat(((QueryResult.Redis) answer(new Query.Redis())).info()).containsKey("redis_version");
  }

  @Test
  void aSearchContinuesPageByPageAndDoesNotRepeatItself() {
    SampleTasks.pending(redis, "mail", "a", 30);
    SampleTasks.pending(redis, "mail", "b", 30);
    Query.Tasks first = tasks(TaskState.PENDING, "type:email:b", 20);

    QueryResult.Tasks page = (QueryResult.Tasks) answer(first);
    assertThat(page.tasks()).hasSize(20).allMatch(task -> task.id().startsWith("b-"));
    assertThat(page.looked()).isEqualTo(50);
    assertThat(page.total()).isEqualTo(60);
    QueryResult.Tasks rest =
        (QueryResult.Tasks)
            answer(
                new Query.Tasks(
                    "mail", TaskState.PENDING, null, 0, 20, "type:email:b", page.cursor()));
    assertThat(rest.tasks()).hasSize(10);
    assertThat(rest.cursor()).isNull();

    QueryResult.Tasks again = (QueryResult.Tasks) answer(first);
    Inspector.create(redis).queue("mail").delete("b-0");
    assertThat(answer(first)).isEqualTo(again);
    lookup.forget();
    assertThat(((QueryResult.Tasks) answer(first)).tasks())
        .noneMatch(task -> task.id().equals("b-0"));
  }

  @Test
  void oneBrokenQueueIsOneBrokenRow() throws Exception {
    SampleTasks.pending(redis, "fine", "p", 2);
    SampleTasks.pending(redis, "odd", "p", 1);
    cli("DEL", "asynq:{odd}:pending");
    cli("SET", "asynq:{odd}:pending", "not a list");

    FetchResult batch = look(NO_ROW);

    assertThat(row(batch, "fine").size()).isEqualTo(2);
    assertThat(row(batch, "odd").problem()).contains("WRONGTYPE");
  }

  private static QueueRow row(FetchResult batch, String name) {
    return batch.overview().rows().stream()
        .filter(row -> row.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Over a plain socket: no client library would write this. */
  private void cli(String... words) throws Exception {
    try (Socket socket = new Socket(server.host(), server.port())) {
      socket
          .getOutputStream()
          .write((String.join(" ", quoted(words)) + "\r\n").getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().read()).isIn((int) '+', (int) ':');
    }
  }

  private static List<String> quoted(String... words) {
    return Arrays.stream(words).map(word -> "\"" + word + "\"").toList();
  }

  @Test
  void aRefreshCostsTheSameForAnyNumberOfQueues() {
    try (TaskClient client = TaskClient.create(redis)) {
      client
          .enqueueAll(
              IntStream.range(0, 3_000)
                  .mapToObj(
                      i ->
                          EnqueueRequest.of(
                              Task.of("t"), options -> options.queue("q%04d".formatted(i))))
                  .toList())
          .forEach(EnqueueResult::orThrow);
    }
    List<String> visible = List.of("q1500", "q1501", "q1502");
    look(NO_ROW);

    long before = calls();
    FetchResult batch = look(new Query.Queues(visible));
    long calls = calls() - before;

    // Three rows with their memory, and no more than 200 others, of two calls each.
    assertThat(calls).isBetween(9L, 450L);
    assertThat(batch.overview().rows()).hasSize(3_000);
    assertThat(visible).allMatch(name -> row(batch, name).snapshot() != null);
    // All are read in turn.
    int seen = batch.overview().totals().seen();
    assertThat(look(NO_ROW).overview().totals().seen()).isGreaterThan(seen);
  }

  /** Each call is one read for Redis; its commands would count those inside of scripts too. */
  private long calls() {
    return Long.parseLong(
        Inspector.create(redis).redisInfo().getOrDefault("total_reads_processed", "0"));
  }

  @Test
  void anObsoleteRefreshIsAborted() {
    SampleTasks.pending(redis, "mail", "a", 500);
    QueryResult.Tasks cut =
        (QueryResult.Tasks)
            Objects.requireNonNull(
                lookup.look(tasks(TaskState.PENDING, "nothing", 20), () -> true).answer());
    assertThat(cut.looked()).isZero();
  }
}
