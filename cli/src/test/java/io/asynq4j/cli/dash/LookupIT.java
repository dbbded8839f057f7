package io.asynq4j.cli.dash;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
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

/** What is looked up in a real Redis, and what it costs. */
class LookupIT {

  private static final Wish NO_ROW = new Wish.Queues(List.of());

  private final EmbeddedRedis server = EmbeddedRedis.start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final Lookup lookup = new Lookup(redis, Duration.ofSeconds(1));

  @AfterEach
  void close() {
    redis.close();
    server.close();
  }

  private Batch look(Wish wish) {
    return lookup.look(wish, () -> false);
  }

  private Answer answer(Wish wish) {
    Answer answer = look(wish).answer();
    assertThat(answer).isNotNull();
    return Objects.requireNonNull(answer);
  }

  private static Wish.Tasks tasks(TaskState state, String search, int limit) {
    return new Wish.Tasks("mail", state, null, 0, limit, search, null);
  }

  @Test
  void queuesAreSeenWithTheirSizesAndMemory() {
    World.oneOfEach(redis, "mail");

    Answer.Overview overview = look(new Wish.Queues(List.of("mail"))).overview();

    QueueRow row = overview.rows().get(0);
    assertThat(row.name()).isEqualTo("mail");
    assertThat(row.size()).isEqualTo(7);
    assertThat(row.memory()).isPositive();
    assertThat(overview.totals().size(TaskState.PENDING)).isEqualTo(1);
    assertThat(overview.totals().seen()).isEqualTo(1);
  }

  @Test
  void everyStateIsListed() {
    World.oneOfEach(redis, "mail");
    for (TaskState state : TaskState.values()) {
      Wish.Tasks wish =
          new Wish.Tasks(
              "mail", state, state == TaskState.AGGREGATING ? "digest" : null, 0, 10, "", null);
      assertThat(((Answer.Tasks) answer(wish)).tasks())
          .as(state.word())
          .extracting(TaskInfo::id)
          .containsExactly(state.word() + "-1");
    }
    assertThat(((Answer.Groups) answer(new Wish.Groups("mail"))).groups())
        .containsExactly(new Answer.Group("digest", 1));
  }

  @Test
  void aTaskIsExplained() {
    World.oneOfEach(redis, "mail");
    Answer.Task task = (Answer.Task) answer(new Wish.Task("mail", "archived-1"));
    assertThat(task.task().lastError()).isEqualTo("no such user");
    assertThat(task.why()).contains("archived");
  }

  @Test
  void whatIsNotThereIsAnAnswerAndNotAnOutage() {
    World.pending(redis, "mail", "p", 1);
    assertThat(((Answer.Nothing) answer(new Wish.Task("mail", "none"))).why()).contains("none");
    assertThat(((Answer.Nothing) answer(new Wish.Groups("none"))).why()).contains("none");
    assertThat(((Answer.Events) answer(new Wish.Events("none", 0, 10))).schedule()).isNull();
    assertThat(((Answer.Servers) answer(new Wish.Servers())).servers()).isEmpty();
    assertThat(((Answer.Schedules) answer(new Wish.Schedules())).schedules()).isEmpty();
    assertThat(((Answer.Redis) answer(new Wish.Redis())).info()).containsKey("redis_version");
  }

  @Test
  void aSearchGoesOnFromPageToPageAndIsNotRepeatedByItself() {
    World.pending(redis, "mail", "a", 30);
    World.pending(redis, "mail", "b", 30);
    Wish.Tasks first = tasks(TaskState.PENDING, "type:email:b", 20);

    Answer.Tasks page = (Answer.Tasks) answer(first);
    assertThat(page.tasks()).hasSize(20).allMatch(task -> task.id().startsWith("b-"));
    assertThat(page.looked()).isEqualTo(50);
    assertThat(page.total()).isEqualTo(60);
    Answer.Tasks rest =
        (Answer.Tasks)
            answer(
                new Wish.Tasks(
                    "mail", TaskState.PENDING, null, 0, 20, "type:email:b", page.cursor()));
    assertThat(rest.tasks()).hasSize(10);
    assertThat(rest.cursor()).isNull();

    Answer.Tasks again = (Answer.Tasks) answer(first);
    Inspector.create(redis).delete("mail", "b-0");
    assertThat(answer(first)).isEqualTo(again);
    lookup.forget();
    assertThat(((Answer.Tasks) answer(first)).tasks()).noneMatch(task -> task.id().equals("b-0"));
  }

  @Test
  void oneBrokenQueueIsOneBrokenRow() throws Exception {
    World.pending(redis, "fine", "p", 2);
    World.pending(redis, "odd", "p", 1);
    cli("DEL", "asynq:{odd}:pending");
    cli("SET", "asynq:{odd}:pending", "not a list");

    Batch batch = look(NO_ROW);

    assertThat(row(batch, "fine").size()).isEqualTo(2);
    assertThat(row(batch, "odd").problem()).contains("WRONGTYPE");
  }

  private static QueueRow row(Batch batch, String name) {
    return batch.overview().rows().stream()
        .filter(row -> row.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Over a plain socket: there is no client at hand that would write such a thing. */
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
  void aRoundCostsTheSameHoweverManyQueuesThereAre() {
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
    Batch batch = look(new Wish.Queues(visible));
    long calls = calls() - before;

    // Three rows with their memory, and no more than 200 others, of two calls each.
    assertThat(calls).isBetween(9L, 450L);
    assertThat(batch.overview().rows()).hasSize(3_000);
    assertThat(visible).allMatch(name -> row(batch, name).snapshot() != null);
    // In turns, all are looked at.
    int seen = batch.overview().totals().seen();
    assertThat(look(NO_ROW).overview().totals().seen()).isGreaterThan(seen);
  }

  /** Each call is one read for Redis; its commands would count those inside of scripts too. */
  private long calls() {
    return Long.parseLong(
        Inspector.create(redis).redisInfo().getOrDefault("total_reads_processed", "0"));
  }

  @Test
  void aRoundThatIsNoLongerWantedIsCutShort() {
    World.pending(redis, "mail", "a", 500);
    Answer.Tasks cut =
        (Answer.Tasks)
            Objects.requireNonNull(
                lookup.look(tasks(TaskState.PENDING, "nothing", 20), () -> true).answer());
    assertThat(cut.looked()).isZero();
  }
}
