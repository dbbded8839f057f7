package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.inspect.QueueInspection;
import io.asynq4j.internal.broker.inspect.QueueRemoval;
import io.asynq4j.internal.broker.inspect.TaskEdits;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import redis.clients.jedis.Jedis;

/**
 * A real Redis for a class of tests, empty for each of them, with servers that react quickly and
 * words for what tests do with tasks. Servers that a test starts are stopped after it.
 */
@SuppressWarnings("NullAway.Init") // Set before each test.
public final class ServerFixture
    implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

  public ServerFixture() {}

  public static final QueueName Q = QueueName.DEFAULT;
  public EmbeddedRedis server;
  public RedisConnection redis;
  private final ConcurrentLinkedQueue<TaskServer> started = new ConcurrentLinkedQueue<>();

  @Override
  public void beforeAll(ExtensionContext context) {
    startRedis();
  }

  private void startRedis() {
    server = EmbeddedRedis.builder().ephemeral().start();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    try (Jedis jedis = jedis()) {
      jedis.flushAll();
    }
    redis = RedisConnection.open(server.uri());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    try {
      stopServers();
      redis.close();
    } finally {
      if (context.getExecutionException().isPresent()) {
        // The test may have left it paused or busy.
        server.close();
        startRedis();
      }
    }
  }

  void stopServers() {
    started.forEach(TaskServer::stop);
    started.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    server.close();
  }

  /** A plain connection, for commands that the library does not send. */
  public Jedis jedis() {
    return new Jedis(server.host(), server.port());
  }

  public Broker broker() {
    return BrokerConnection.brokerOf(redis);
  }

  public QueueInspection queues() {
    return broker().queues();
  }

  public QueueControl queueControl() {
    return broker().queueControl();
  }

  public QueueRemoval queueRemoval() {
    return broker().queueRemoval();
  }

  public TaskInspection tasks() {
    return broker().tasks();
  }

  public TaskEdits taskEdits() {
    return broker().taskEdits();
  }

  public OperatorActions actions() {
    return broker().actions();
  }

  /** A server of the queue {@code default} that looks often, and lets a failed task wait long. */
  public TaskServerBuilder quick(Handler<Task> handler) {
    return quick(redis, handler);
  }

  public static TaskServerBuilder quick(RedisConnection redis, Handler<Task> handler) {
    return TaskServer.builder(redis)
        .handlers(handler)
        .concurrency(4)
        .timing(
            timing ->
                timing
                    .lease(Duration.ofSeconds(3))
                    .heartbeat(Duration.ofMillis(500))
                    .pollInterval(Duration.ofMillis(20))
                    .recoverInterval(Duration.ofMillis(200))
                    .forwardInterval(Duration.ofMillis(100))
                    .janitorInterval(Duration.ofMillis(200))
                    .repairInterval(Duration.ofSeconds(1))
                    .cancelGrace(Duration.ofMillis(300)))
        .shutdownTimeout(Duration.ofSeconds(2))
        .retryPolicy(RetryPolicy.fixed(Duration.ofHours(1)));
  }

  public TaskServer start(TaskServerBuilder builder) {
    TaskServer built = builder.build();
    started.add(built);
    built.start();
    return built;
  }

  NewTask task(String id, UnaryOperator<TaskOptions.Builder> options) {
    return NewTask.of(
        Task.of("t"), TaskOptions.of(o -> options.apply(o.id(id))), broker().clock().instant());
  }

  public void enqueue(String id) {
    enqueue(id, options -> options);
  }

  public void enqueue(String id, UnaryOperator<TaskOptions.Builder> options) {
    assertThat(broker().enqueueing().enqueue(List.of(task(id, options))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  void enqueue(Task task, String id) {
    broker()
        .enqueueing()
        .enqueue(
            List.of(NewTask.of(task, TaskOptions.of(o -> o.id(id)), broker().clock().instant())));
  }

  /** Tasks whose IDs are a prefix and 0, 1, 2 and so on. */
  public void enqueueMany(String prefix, int count, UnaryOperator<TaskOptions.Builder> options) {
    List<NewTask> tasks = new ArrayList<>();
    IntStream.range(0, count).forEach(i -> tasks.add(task(prefix + i, options)));
    broker().enqueueing().enqueue(tasks);
  }

  /** Empty when there is no such task any more. */
  Optional<TaskInfo> find(String id) {
    return find(Q, id);
  }

  Optional<TaskInfo> find(QueueName queue, String id) {
    try {
      return Optional.of(tasks().task(queue, id));
    } catch (TaskNotFoundException e) {
      return Optional.empty();
    }
  }

  public TaskInfo info(String id) {
    return tasks().task(Q, id);
  }

  public TaskState state(String id) {
    return info(id).state();
  }

  long count(QueueName queue, TaskState state) {
    return tasks().list(queue, Listing.first(state, 1)).total();
  }

  public long count(TaskState state) {
    return count(Q, state);
  }

  /** The ids of tasks in a state, the next one first. */
  public List<String> ids(QueueName queue, TaskState state) {
    return tasks().list(queue, Listing.first(state, 100_000)).tasks().stream()
        .map(TaskInfo::id)
        .toList();
  }

  public void awaitState(String id, TaskState state) {
    soon(() -> assertThat(find(id).map(TaskInfo::state)).contains(state));
  }

  public void awaitGone(String id) {
    soon(() -> assertThat(find(id)).isEmpty());
  }

  public void awaitNothingActive() {
    soon(() -> assertThat(count(TaskState.ACTIVE)).isZero());
  }

  /** Waits until the assertion holds. While what it looks at is not there yet, it may throw. */
  public static void soon(ThrowingRunnable assertion) {
    await().pollInterval(Duration.ofMillis(20)).ignoreExceptions().untilAsserted(assertion);
  }
}
