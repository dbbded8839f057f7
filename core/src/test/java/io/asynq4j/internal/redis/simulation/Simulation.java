package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import redis.clients.jedis.Protocol.Command;

/**
 * A long random story of several workers on one Redis, checked after every step against the model.
 * The same seed produces the same run, except for IDs and tokens that the broker generates.
 */
final class Simulation implements AutoCloseable {

  private static final int REMEMBERED_STEPS = 30;
  private static final long LOCK_TOLERANCE_MILLIS = 10_000;
  private static final int IDS = 24;

  /** Between, only the queues are looked at that the step had to do with. */
  private static final int FULL_CHECK_EVERY = 10;

  static final QueueName ORDERED = QueueName.of("ordered");
  static final List<QueueName> QUEUES =
      List.of(QueueName.of("plain"), QueueName.of("other:{x}"), ORDERED);
  static final List<String> GROUPS = List.of("g", "g:1");

  private final long seed;
  final Random random;
  final SettableClock clock = new SettableClock(BrokerFixture.NOON);
  final RedisCommandExecutor link;
  final ModelBroker model = new ModelBroker(QUEUES, clock);
  final List<SimulatedWorker> workers = new ArrayList<>();
  private final Deque<String> story = new ArrayDeque<>();
  private int step;

  Simulation(TestRedis server, long seed) {
    this.seed = seed;
    this.random = new Random(seed);
    server.flush();
    this.link = BrokerFixture.link(server.config());
    for (int i = 0; i < 4; i++) {
      boolean patient = i % 2 == 0;
      String name = (patient ? "patient" : "hasty") + i;
      workers.add(new SimulatedWorker(name, patient, server.config(), clock));
    }
  }

  void run(int steps) {
    List<Step> choices = new ArrayList<>();
    choices.addAll(new ProducerSteps(this).steps());
    choices.addAll(new WorkerSteps(this).steps());
    choices.addAll(new DutySteps(this).steps());
    choices.addAll(new OperatorSteps(this).steps());
    choices.addAll(new GoProcessSteps(this).steps());
    int weights = choices.stream().mapToInt(Step::weight).sum();
    for (step = 0; step < steps; step++) {
      try {
        choose(choices, random.nextInt(weights)).action().run();
        if (step == steps - 1) {
          model.touched.addAll(QUEUES);
        }
        check();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "step %d of seed %d (replay with -Dasynq4j.seed=%d) after%n%s%n%s"
                .formatted(step, seed, seed, String.join("\n", story), e.getMessage()),
            e);
      }
    }
  }

  /** Something that may happen, and how often it does compared to the others. */
  record Step(int weight, Runnable action) {}

  private static Step choose(List<Step> choices, int at) {
    int rest = at;
    for (Step each : choices) {
      rest -= each.weight();
      if (rest < 0) {
        return each;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }

  /** Printed when a test fails. */
  void log(String what) {
    story.addLast(step + " " + clock.instant() + " " + what);
    if (story.size() > REMEMBERED_STEPS) {
      story.removeFirst();
    }
  }

  private void check() {
    List<String> wrong = new ArrayList<>();
    if (step % FULL_CHECK_EVERY == 0) {
      model.touched.addAll(QUEUES);
    }
    for (QueueName name : List.copyOf(model.touched)) {
      ModelQueue queue = model.queue(name);
      QueueDump dump = QueueDump.of(link, queue.queue);
      compare(queue, dump, wrong);
      wrong.addAll(ModelInvariants.of(queue));
    }
    model.touched.clear();
    CommandArgs args = new CommandArgs().add(RedisKeys.QUEUES);
    TreeSet<String> registered = new TreeSet<>();
    ReplyParser.list(link.call(RedisKeys.QUEUES, ResendPolicy.NEVER, Command.SMEMBERS, args))
        .forEach(name -> registered.add(ReplyParser.text(name)));
    assertThat(registered).as("I7").isEqualTo(model.registered);
    if (!wrong.isEmpty()) {
      throw new AssertionError(String.join("\n", wrong));
    }
  }

  private static void compare(ModelQueue queue, QueueDump dump, List<String> wrong) {
    Map<String, String> expected = queue.lines();
    TreeSet<String> keys = new TreeSet<>(expected.keySet());
    keys.addAll(dump.lines().keySet());
    for (String key : keys) {
      if (!Objects.equals(expected.get(key), dump.lines().get(key))) {
        wrong.add(
            "%s %s%n  should be %s%n  and is    %s"
                .formatted(queue.queue, key, expected.get(key), dump.lines().get(key)));
      }
    }
    Map<String, Long> ends = new TreeMap<>(queue.lockEnds);
    dump.lockMillis()
        .forEach(
            (key, millis) -> {
              Long end = ends.get(RedisKeys.of(queue.queue, key));
              long left = end == null ? millis : end - System.nanoTime() / 1_000_000;
              if (millis < 0 || Math.abs(left - millis) > LOCK_TOLERANCE_MILLIS) {
                wrong.add(
                    "%s %s should last %d ms, not %d".formatted(queue.queue, key, left, millis));
              }
            });
    dump.lanes().forEach(lane -> wrong.add(queue.queue + " " + lane + " lasts for ever"));
  }

  // Words for what steps draw.

  <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  ModelQueue queue() {
    return model.queue(pick(QUEUES));
  }

  SimulatedWorker worker() {
    return pick(workers);
  }

  SimulatedWorker patientWorker() {
    return workers.get(random.nextInt(workers.size() / 2) * 2);
  }

  String id() {
    return "t" + random.nextInt(IDS);
  }

  /** Most often of a task that there is. */
  String idIn(ModelQueue queue) {
    return queue.tasks.isEmpty() || chance(0.15) ? id() : pick(List.copyOf(queue.tasks.keySet()));
  }

  List<String> idsIn(ModelQueue queue) {
    List<String> ids = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      ids.add(idIn(queue));
    }
    return ids;
  }

  /** Mostly short, now and then long. */
  Duration delay() {
    return Duration.ofMillis(random.nextInt(chance(0.3) ? 120_000 : 15_000));
  }

  /** Now and then the answer to one of the next scripts gets lost. Which one; 0 = none. */
  int maybeLose(SimulatedWorker worker, double probability, int upTo) {
    int nth = chance(probability) ? 1 + random.nextInt(upTo) : 0;
    worker.nodes.loseAnswer(nth);
    return nth;
  }

  NewTask newTask(QueueName queue) {
    TaskOptions.Builder options = TaskOptions.builder().queue(queue.value()).id(id());
    options.maxRetry(random.nextInt(3));
    if (chance(0.3)) {
      options.retention(Duration.ofSeconds(1 + random.nextInt(60)));
    }
    if (chance(0.35)) {
      options.uniqueFor(Duration.ofHours(1 + random.nextInt(5)));
    }
    if (chance(0.35)) {
      options.group(pick(GROUPS));
    }
    if (chance(0.2)) {
      options.processAt(clock.instant().plus(delay()).minusMillis(1_000));
    } else if (chance(0.2)) {
      options.processIn(delay());
    }
    if (chance(0.4)) {
      options.precise();
    }
    Task task = Task.of("type" + random.nextInt(2), Payload.ofUtf8(payload()));
    return NewTask.of(task, options.build(), clock.instant());
  }

  String payload() {
    return "p" + random.nextInt(3);
  }

  QueueRules rules(QueueName queue) {
    int maxActive = chance(0.5) ? 0 : 1 + random.nextInt(6);
    return new QueueRules(maxActive, queue.equals(ORDERED) && chance(0.9));
  }

  ArchiveRules archiveRules() {
    int size = chance(0.3) ? 9999 : random.nextInt(8);
    Duration age = chance(0.7) ? Duration.ofDays(90) : Duration.ofSeconds(1 + random.nextInt(600));
    return new ArchiveRules(size, age, chance(0.3));
  }

  @Override
  public void close() {
    workers.forEach(SimulatedWorker::close);
    link.close();
  }
}
