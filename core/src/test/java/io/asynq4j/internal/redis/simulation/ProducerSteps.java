package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.simulation.Simulation.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** Steps of producers, of the clock and of the network. */
final class ProducerSteps {

  private final Simulation run;

  ProducerSteps(Simulation run) {
    this.run = run;
  }

  List<Step> steps() {
    return List.of(
        new Step(150, this::enqueue),
        new Step(80, this::timePasses),
        new Step(6, this::lockExpires),
        new Step(60, this::callArrivesAgain));
  }

  private void enqueue() {
    SimulatedWorker worker = run.worker();
    List<NewTask> tasks = new ArrayList<>();
    for (int i = run.chance(0.5) ? 0 : run.random.nextInt(5); i >= 0; i--) {
      tasks.add(run.newTask(run.pick(Simulation.QUEUES)));
    }
    int nth = run.maybeLose(worker, 0.15, 2);
    run.log(
        "%s enqueues %s, loses %d"
            .formatted(worker.name, tasks.stream().map(this::text).toList(), nth));
    List<EnqueueReply> answers;
    try {
      answers = worker.broker.enqueueing().enqueue(tasks);
    } catch (BrokerUnavailableException e) {
      assertThat(worker.nodes.hasLost() && !worker.patient && e.mayHaveBeenApplied()).isTrue();
      run.model.enqueue(tasks, nth);
      return;
    }
    List<@Nullable EnqueueReply> expected = run.model.enqueue(tasks, Integer.MAX_VALUE);
    assertThat(answers).isEqualTo(expected);
  }

  private String text(NewTask task) {
    return task.message().queue()
        + "/"
        + task.message().id()
        + " "
        + task.placement()
        + (task.message().group().isEmpty() ? "" : " of " + task.message().group())
        + (task.uniqueFor() == null ? "" : " unique");
  }

  private void timePasses() {
    Duration by =
        switch (run.random.nextInt(40)) {
          case 0 -> Duration.ofHours(2);
          case 1 -> run.chance(0.1) ? Duration.ofDays(91) : Duration.ofMinutes(2);
          case 2, 3, 4, 5 -> Duration.ofMillis(run.random.nextInt(60_000));
          case 6, 7, 8, 9, 10, 11 -> Duration.ofMillis(run.random.nextInt(10_000));
          default -> Duration.ofMillis(run.random.nextInt(1_500));
        };
    run.log("%s pass".formatted(by));
    run.clock.advance(by);
  }

  /** What Redis does by its own clock, which a test cannot set. */
  private void lockExpires() {
    ModelQueue queue = run.queue();
    if (!queue.locks.isEmpty()) {
      String lock = run.pick(List.copyOf(queue.locks.keySet()));
      run.log("%s expires".formatted(lock));
      run.link.call(lock, ResendPolicy.NEVER, Command.DEL, new CommandArgs().add(lock));
      queue.unlock(lock);
    }
  }

  /** A numbered call that Redis has done comes in once more, and must do nothing. */
  private void callArrivesAgain() {
    SimulatedWorker worker = run.worker();
    if (worker.nodes.sent().isEmpty()) {
      return;
    }
    LossyRedisNodes.Sent again = run.pick(List.copyOf(worker.nodes.sent()));
    run.model.touched.addAll(Simulation.QUEUES);
    if (!wasDone(again.answer())) {
      return;
    }
    try (Connection connection = run.link.open(run.link.serverOf(again.slot()))) {
      Object answer = connection.executeCommand(again.arguments());
      run.log(
          "a call of %s arrives again: %s".formatted(worker.name, Objects.requireNonNull(answer)));
      if (!isClaim(again.answer())) {
        assertThat(answer).usingRecursiveComparison().isEqualTo(again.answer());
      }
    } catch (JedisDataException e) {
      run.log(
          "a call of %s arrives again: %s".formatted(worker.name, String.valueOf(e.getMessage())));
      assertThat(e.getMessage()).contains("STALE");
    }
  }

  private static boolean isClaim(@Nullable Object answer) {
    return answer instanceof List<?> list
        && !list.isEmpty()
        && list.get(0) instanceof byte[] word
        && List.of("ok", "empty", "full", "paused", "held").contains(ReplyParser.text(word));
  }

  /**
   * A claim that gave nothing, and a set that could not be finished, leave no trace to know them.
   */
  private static boolean wasDone(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      return !isClaim(answer) || list.size() > 3;
    }
    return Long.valueOf(1).equals(answer);
  }
}
