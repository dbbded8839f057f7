package io.asynq4j.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.Jedis;

/** The metrics that Prometheus receives, on a real Redis. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Set before each test.
class MetricsIT {

  /** How soon metrics see what a scheduler has done. */
  private static final Duration SHOWN_EVERY = Duration.ofSeconds(1);

  private EmbeddedRedis server;
  private RedisConnection redis;
  private Inspector inspector;
  private TaskClient client;
  private PrometheusMeterRegistry registry;

  @BeforeAll
  void startRedis() {
    server = EmbeddedRedis.builder().ephemeral().start();
  }

  @AfterAll
  void stopRedis() {
    server.close();
  }

  @BeforeEach
  void connect() {
    try (Jedis jedis = jedis()) {
      jedis.flushAll();
    }
    redis = RedisConnection.open(server.uri());
    inspector = Inspector.create(redis);
    client = TaskClient.create(redis);
    registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  }

  @AfterEach
  void disconnect() {
    client.close();
    redis.close();
    registry.close();
  }

  private Jedis jedis() {
    return new Jedis(server.host(), server.port());
  }

  /** By name and labels, as {@code asynq_tasks{queue="mail",state="pending"}}. */
  private Map<String, Double> scrape() {
    Map<String, Double> values = new HashMap<>();
    registry
        .scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
            });
    return values;
  }

  private QueueMetrics byHand() {
    QueueMetrics metrics = QueueMetrics.builder(inspector).every(Duration.ZERO).build();
    metrics.bindTo(registry);
    return metrics;
  }

  private void enqueue(String queue, String id) {
    client.enqueue(Task.of("t"), o -> o.queue(queue).id(id)).orThrow();
  }

  @Test
  void exportsQueueSizesUnderTheNamesOfAsynqAndUnderCorrectOnes() {
    enqueue("mail", "a");
    enqueue("mail", "b");
    client.enqueue(Task.of("t"), o -> o.queue("mail").processIn(Duration.ofHours(1))).orThrow();
    client.enqueue(Task.of("t"), o -> o.queue("mail").group("g")).orThrow();
    inspector.queue("mail").archive("b");
    inspector.queue("mail").pause();
    try (Jedis jedis = jedis()) {
      jedis.set("asynq:{mail}:processed", "7");
      jedis.set("asynq:{mail}:failed", "3");
    }

    byHand().refresh();

    Map<String, Double> values = scrape();
    assertThat(values)
        .containsEntry("asynq_tasks_enqueued_total{queue=\"mail\",state=\"pending\"}", 1.0)
        .containsEntry("asynq_tasks_enqueued_total{queue=\"mail\",state=\"archived\"}", 1.0)
        .containsEntry("asynq_tasks_enqueued_total{queue=\"mail\",state=\"scheduled\"}", 1.0)
        .containsEntry("asynq_tasks_enqueued_total{queue=\"mail\",state=\"active\"}", 0.0)
        .containsEntry("asynq_queue_size{queue=\"mail\"}", 4.0)
        .containsEntry("asynq_tasks_processed_total{queue=\"mail\"}", 7.0)
        .containsEntry("asynq_tasks_failed_total{queue=\"mail\"}", 3.0)
        .containsEntry("asynq_queue_paused_total{queue=\"mail\"}", 1.0)
        .containsEntry("asynq_queue_groups{queue=\"mail\"}", 1.0)
        .containsEntry("asynq_queue_up{queue=\"mail\"}", 1.0)
        .containsEntry("asynq_tasks{queue=\"mail\",state=\"pending\"}", 1.0)
        .containsEntry("asynq_tasks{queue=\"mail\",state=\"aggregating\"}", 1.0)
        .containsEntry("asynq_queues", 1.0)
        .containsEntry("asynq_servers", 0.0)
        .containsEntry("asynq_up", 1.0);
    assertThat(values.get("asynq_queue_paused_seconds{queue=\"mail\"}")).isBetween(1.0, 30.0);
    assertThat(values.get("asynq_queue_latency_seconds{queue=\"mail\"}")).isNotNegative();
    assertThat(values.get("asynq_queue_memory_usage_approx_bytes{queue=\"mail\"}")).isPositive();
  }

  @Test
  void reportsQueuesAndGroupsThatNoServerServes() {
    enqueue("mail", "a");
    enqueue("served", "b");
    client.enqueue(Task.of("t"), o -> o.queue("served").id("c").group("old")).orThrow();
    client.enqueue(Task.of("t"), o -> o.queue("served").group("new")).orThrow();
    try (Jedis jedis = jedis()) {
      double before = Instant.now().minus(Duration.ofHours(2)).getEpochSecond();
      jedis.zadd("asynq:{served}:g:old", before, "c");
    }
    try (TaskServer server =
        TaskServer.builder(redis)
            .queue("served")
            .queue("empty")
            .handlers((task, context) -> Outcome.done())
            .build()) {
      server.start();
      QueueMetrics metrics = byHand();
      await()
          .untilAsserted(
              () -> {
                metrics.refresh();
                assertThat(scrape())
                    .containsEntry("asynq_queue_servers{queue=\"served\"}", 1.0)
                    .containsEntry("asynq_queue_servers{queue=\"mail\"}", 0.0)
                    .containsEntry("asynq_queue_groups_unaggregated{queue=\"served\"}", 1.0)
                    .containsEntry("asynq_queue_groups_unaggregated{queue=\"mail\"}", 0.0);
              });
    }
  }

  @Test
  void oneQueueThatCannotBeReadHidesNoOther() {
    enqueue("good", "a");
    try (Jedis jedis = jedis()) {
      jedis.sadd("asynq:queues", "bad");
      jedis.set("asynq:{bad}:pending", "no list");
    }

    byHand().refresh();

    Map<String, Double> values = scrape();
    assertThat(values)
        .containsEntry("asynq_queue_up{queue=\"bad\"}", 0.0)
        .containsEntry("asynq_queue_up{queue=\"good\"}", 1.0)
        .containsEntry("asynq_tasks{queue=\"good\",state=\"pending\"}", 1.0)
        .containsEntry("asynq_up", 1.0);
    assertThat(values.get("asynq_scrape_errors_total")).isPositive();
    assertThat(values.get("asynq_tasks{queue=\"bad\",state=\"pending\"}")).isNaN();
  }

  @Test
  void aQueueThatIsGoneHasNoMetersAnyMore() {
    enqueue("mail", "a");
    QueueMetrics metrics = byHand();
    metrics.refresh();
    inspector.queue("mail").remove(true);

    metrics.refresh();

    assertThat(scrape().keySet()).noneMatch(name -> name.contains("mail"));
  }

  @Test
  void noMoreQueuesHaveMetersThanAreAskedFor() {
    for (int i = 0; i < 5; i++) {
      enqueue("q" + i, "a");
    }
    QueueMetrics metrics =
        QueueMetrics.builder(inspector).every(Duration.ZERO).maxQueues(2).build();
    metrics.bindTo(registry);

    metrics.refresh();

    Map<String, Double> values = scrape();
    assertThat(values).containsEntry("asynq_queues", 5.0);
    assertThat(values.keySet().stream().filter(name -> name.startsWith("asynq_queue_up")))
        .hasSize(2);
  }

  @Test
  void anUnavailableRedisIsReported() {
    enqueue("mail", "a");
    EmbeddedRedis other = EmbeddedRedis.builder().ephemeral().start();
    RedisConfig config = RedisConfig.parse(other.uri() + "?retryFor=0s&connectTimeout=200ms");
    try (RedisConnection away = RedisConnection.open(config)) {
      QueueMetrics metrics =
          QueueMetrics.builder(Inspector.create(away)).every(Duration.ZERO).build();
      metrics.bindTo(registry);
      metrics.refresh();
      assertThat(scrape()).containsEntry("asynq_up", 1.0);
      other.close();

      metrics.refresh();

      assertThat(scrape()).containsEntry("asynq_up", 0.0);
    } finally {
      other.close();
    }
  }

  @Test
  void showsWhenASchedulerLastEnqueued() {
    try (Scheduler scheduler =
        Scheduler.builder(redis)
            .heartbeat(SHOWN_EVERY)
            .add("tick", Schedule.every(Duration.ofSeconds(1)), Task.of("tick"))
            .build()) {
      scheduler.start();
      QueueMetrics metrics = byHand();

      await()
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () -> {
                metrics.refresh();
                Double last =
                    scrape().get("asynq_scheduler_last_enqueue_timestamp_seconds{entry=\"tick\"}");
                assertThat(last).isNotNull();
                assertThat(last)
                    .isCloseTo(
                        redis.clock().millis() / 1000.0, org.assertj.core.data.Offset.offset(20.0));
              });
    }
  }

  @Test
  void showsWhatAServerDoes() {
    enqueue("mail", "good");
    client.enqueue(Task.of("bad"), o -> o.queue("mail").id("bad")).orThrow();
    client.enqueue(Task.of("worst"), o -> o.queue("mail").id("worst").maxRetry(0)).orThrow();

    try (TaskServer running =
        TaskServer.builder(redis)
            .queue("mail", 1)
            .retryPolicy(RetryPolicy.fixed(Duration.ofHours(1)))
            .listener(ServerMetrics.create(registry))
            .handlers(
                (task, context) -> {
                  if (!task.type().equals("t")) {
                    throw new IllegalStateException("refused");
                  }
                  return Outcome.done();
                })
            .build()) {
      running.start();
      await()
          .until(
              () ->
                  scrape().getOrDefault("asynq_server_processed_total{queue=\"mail\"}", 0.0) == 3);
    }

    Map<String, Double> values = scrape();
    assertThat(values)
        .containsEntry("asynq_server_claimed_total{queue=\"mail\"}", 3.0)
        .containsEntry("asynq_server_failed_total{queue=\"mail\"}", 2.0)
        .containsEntry("asynq_server_retried_total{queue=\"mail\"}", 1.0)
        .containsEntry("asynq_server_archived_total{queue=\"mail\"}", 1.0)
        .containsEntry("asynq_server_settle_batch_size_sum{queue=\"mail\"}", 3.0)
        .containsEntry("asynq_server_workers_busy", 0.0)
        .containsEntry("asynq_server_redis_up", 1.0)
        .containsEntry(
            "asynq_task_duration_seconds_count{outcome=\"completed\",queue=\"mail\",type=\"t\"}",
            1.0)
        .containsEntry(
            "asynq_task_duration_seconds_count{outcome=\"retried\",queue=\"mail\",type=\"bad\"}",
            1.0)
        .containsEntry(
            "asynq_task_duration_seconds_bucket{outcome=\"archived\",queue=\"mail\",type=\"worst\",le=\"+Inf\"}",
            1.0)
        .containsEntry("asynq_task_wait_seconds_count{queue=\"mail\",type=\"t\"}", 1.0);
    assertThat(values.get("asynq_task_wait_seconds_sum{queue=\"mail\",type=\"t\"}")).isPositive();
    assertThat(inspector.queue("mail").task("worst").state()).isEqualTo(TaskState.ARCHIVED);
  }

  @Test
  void aThousandTypesAndQueuesMakeABoundedNumberOfSeries() {
    ServerMetrics metrics =
        ServerMetrics.builder(registry).maxQueues(3).maxTypes(4).maxPairs(5).build();
    try (TaskServer running =
        TaskServer.builder(redis)
            .queues(q -> q.matching("q*", 1))
            .concurrency(50)
            .listener(metrics)
            .handlers((task, context) -> Outcome.done())
            .build()) {
      for (int i = 0; i < 200; i++) {
        String queue = "q" + i % 20;
        client.enqueue(Task.of("type" + i % 50), o -> o.queue(queue)).orThrow();
      }
      running.start();
      await()
          .until(
              () ->
                  inspector.queues().stream()
                      .allMatch(q -> inspector.queue(q).snapshot().size() == 0));
    }

    List<String> names =
        scrape().keySet().stream()
            .filter(name -> name.startsWith("asynq_task_duration_seconds_count"))
            .toList();
    assertThat(names).hasSizeLessThanOrEqualTo(5 + 4);
    assertThat(names).anyMatch(name -> name.contains("type=\"other\""));
    assertThat(names).anyMatch(name -> name.contains("queue=\"other\""));
  }

  @Test
  void theDocumentationNamesEveryMetricAndNoOther() throws Exception {
    enqueue("mail", "a");
    try (Scheduler scheduler =
        Scheduler.builder(redis)
            .heartbeat(SHOWN_EVERY)
            .add("often", Schedule.every(Duration.ofSeconds(1)), Task.of("t"))
            .build()) {
      scheduler.start();
      QueueMetrics queues = byHand();
      everythingHappens(ServerMetrics.create(registry));
      String doc = Files.readString(Path.of("../docs/reference/metrics.md"));
      Set<String> documented = new TreeSet<>();
      Matcher name = Pattern.compile("`(asynq_[a-z_]+)`").matcher(doc);
      while (name.find()) {
        documented.add(name.group(1));
      }

      await()
          .untilAsserted(
              () -> {
                queues.refresh();
                assertThat(names()).isEqualTo(documented);
              });
    }
  }

  /** Timers have their greatest value beside them, which goes without saying. */
  private Set<String> names() {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.substring("# TYPE ".length(), line.lastIndexOf(' ')))
        .filter(name -> !name.endsWith("_max"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static final List<Outcome> EVERY_OUTCOME =
      List.of(
          Outcome.done(),
          Outcome.retry("no", Duration.ZERO),
          Outcome.snooze(Duration.ZERO),
          Outcome.archive("no"),
          Outcome.drop(),
          Outcome.requeue());

  @Test
  void theLabelOfEachOutcomeHasItsValue() {
    ServerMetrics metrics = ServerMetrics.create(registry);
    everythingHappens(metrics);

    assertThat(EVERY_OUTCOME).extracting(Outcome::kind).containsExactly(Outcome.Kind.values());
    assertThat(registry.find("asynq.task.duration").timers())
        .extracting(timer -> timer.getId().getTag("outcome"))
        .containsExactlyInAnyOrder(
            "completed", "retried", "snoozed", "archived", "dropped", "requeued");
    assertThat(registry.get("asynq.server.processed").counter().count()).isEqualTo(4);
    assertThat(registry.get("asynq.server.failed").counter().count()).isEqualTo(2);
  }

  private static void everythingHappens(ServerListener listener) {
    QueueName queue = QueueName.of("mail");
    ServerListener.TaskRef task =
        ServerListener.TaskRef.of("a", queue, Task.of("t"), 0, 25, Duration.ofSeconds(1));
    listener.claimed(queue, 1);
    listener.started(task);
    for (Outcome outcome : EVERY_OUTCOME) {
      listener.finished(task, outcome, null, Duration.ofSeconds(1));
      listener.settled(task, outcome, Duration.ZERO);
    }
    listener.settledTogether(queue, 1);
    listener.leaseLost(task);
    listener.stuck(task, TaskContext.CancelReason.DEADLINE, Duration.ofSeconds(1));
    listener.recovered(queue, "a", "retry");
    listener.outageStarted(new IllegalStateException("away"));
    listener.outageEnded(Duration.ofSeconds(1));
  }

  @Test
  void anErrorIsNotTheEndOfReading() {
    AtomicInteger errors = new AtomicInteger();
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                if (id.getTag("queue") != null && errors.getAndIncrement() < 2) {
                  throw new OutOfMemoryError("Java heap space, on purpose");
                }
                return id;
              }
            });
    client.enqueue(Task.of("t"), o -> o.queue("mail"));

    try (QueueMetrics metrics =
        QueueMetrics.builder(inspector).every(Duration.ofSeconds(1)).build()) {
      metrics.bindTo(registry);

      await()
          .untilAsserted(
              () ->
                  assertThat(scrape())
                      .containsEntry("asynq_tasks{queue=\"mail\",state=\"pending\"}", 1.0));
    }
    assertThat(errors).hasValueGreaterThan(2);
  }
}
