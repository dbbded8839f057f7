package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Aggregation.SetContent;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.broker.Upkeep.Recovered;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.simulation.Simulation.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Steps of our forwarders, recoverers, janitors and aggregators. */
final class DutySteps {

  private final Simulation run;

  /** Sets that an aggregator is working on, or believes to. */
  private final List<AggregationSet> sets = new ArrayList<>();

  DutySteps(Simulation run) {
    this.run = run;
  }

  List<Step> steps() {
    return List.of(
        new Step(60, this::forward),
        new Step(50, this::recover),
        new Step(20, this::expire),
        new Step(10, this::trim),
        new Step(10, this::repair),
        new Step(10, this::relistGroups),
        new Step(50, this::aggregate),
        new Step(15, this::read),
        new Step(25, this::finish),
        new Step(8, this::giveBack),
        new Step(10, this::reclaimStale),
        new Step(20, this::sweep),
        new Step(4, this::forgetSets));
  }

  private void forward() {
    SimulatedWorker worker = run.patientWorker();
    ModelQueue queue = run.queue();
    int limit = run.chance(0.5) ? 200 : 1 + run.random.nextInt(3);
    int nth = run.maybeLose(worker, 0.1, 1);
    run.log("forward %d of %s, loses %d".formatted(limit, queue.queue, nth));
    Forwarded forwarded = worker.broker.upkeep().forward(queue.queue, limit);
    if (nth > 0) {
      ModelBroker.forward(queue, limit);
    }
    assertThat(forwarded.moved()).isEqualTo(ModelBroker.forward(queue, limit));
    if (forwarded.moved() < limit) {
      boolean noneWaits = queue.zset("scheduled").isEmpty() && queue.zset("retry").isEmpty();
      assertThat(forwarded.nextDue() == null).isEqualTo(noneWaits);
      assertThat(forwarded.nextDue() == null || forwarded.nextDue().isAfter(run.clock.instant()))
          .isTrue();
    }
  }

  private void recover() {
    SimulatedWorker worker = run.patientWorker();
    ModelQueue queue = run.queue();
    int limit = run.chance(0.7) ? 200 : 1;
    CrashRules crash =
        new CrashRules(
            1 + run.random.nextInt(3),
            Duration.ofSeconds(run.random.nextInt(5)),
            Duration.ofSeconds(30));
    QueueRules rules = run.rules(queue.queue);
    ArchiveRules archive = run.archiveRules();
    int nth = run.maybeLose(worker, 0.15, 2);
    run.log(
        "recover %s with %s, %s, %s, loses %d".formatted(queue.queue, crash, rules, archive, nth));
    List<Recovered> recovered =
        worker.broker.upkeep().recover(queue.queue, limit, crash, rules, archive);
    Map<String, Recovery> expected = ModelBroker.recover(queue, limit, crash, rules, archive);
    if (nth < 2) {
      Map<String, Recovery> answer = new TreeMap<>();
      recovered.forEach(each -> answer.put(each.id(), each.recovery()));
      assertThat(answer).isEqualTo(expected);
    }
  }

  private void expire() {
    SimulatedWorker worker = run.patientWorker();
    ModelQueue queue = run.queue();
    int limit = run.chance(0.5) ? 200 : 1;
    int nth = run.maybeLose(worker, 0.1, 1);
    run.log("expire %d of %s, loses %d".formatted(limit, queue.queue, nth));
    int gone = worker.broker.upkeep().expire(queue.queue, limit);
    if (nth > 0) {
      ModelBroker.expire(queue, limit);
    }
    assertThat(gone).isEqualTo(ModelBroker.expire(queue, limit));
  }

  private void trim() {
    SimulatedWorker worker = run.patientWorker();
    ModelQueue queue = run.queue();
    ArchiveRules rules = run.archiveRules();
    int limit = run.chance(0.5) ? 200 : 1;
    int nth = run.maybeLose(worker, 0.1, 1);
    run.log("trim %d of %s to %s, loses %d".formatted(limit, queue.queue, rules, nth));
    int gone = worker.broker.upkeep().trim(queue.queue, limit, rules);
    if (nth > 0) {
      ModelBroker.trim(queue, rules, limit);
    }
    assertThat(gone).isEqualTo(ModelBroker.trim(queue, rules, limit));
  }

  /** With a lease that an eviction or a failover has taken, as often as not. */
  private void repair() {
    ModelQueue queue = run.queue();
    SimulatedWorker worker = run.patientWorker();
    worker.nodes.loseAnswer(0);
    boolean evicted = !queue.active.isEmpty() && run.chance(0.5);
    String id = evicted ? run.pick(queue.active) : "";
    run.log("repair %s after the lease of '%s' vanished".formatted(queue.queue, id));
    if (evicted) {
      String key = RedisKeys.of(queue.queue, "lease");
      run.link.call(key, ResendPolicy.NEVER, Command.ZREM, new CommandArgs().add(key).add(id));
      queue.lease.put(id, new ModelLease(queue.second(), 0));
    }
    assertThat(worker.broker.upkeep().repair(queue.queue)).isEqualTo(evicted ? 1 : 0);
  }

  private void relistGroups() {
    ModelQueue queue = run.queue();
    SimulatedWorker worker = run.patientWorker();
    worker.nodes.loseAnswer(0);
    run.log("relist groups of %s".formatted(queue.queue));
    assertThat(worker.broker.upkeep().relistGroups(queue.queue))
        .isEqualTo(ModelBroker.relistGroups(queue));
  }

  private void aggregate() {
    SimulatedWorker worker = run.patientWorker();
    ModelQueue queue = run.queue();
    String group = run.pick(Simulation.GROUPS);
    GroupRules rules =
        new GroupRules(
            run.random.nextInt(4),
            Duration.ofSeconds(run.random.nextInt(10)),
            Duration.ofSeconds(run.random.nextInt(10)),
            Duration.ofSeconds(1 + run.random.nextInt(60)));
    List<String> expected = List.copyOf(ModelBroker.ripe(queue, group, rules));
    int nth = run.maybeLose(worker, 0.15, 1);
    run.log(
        "aggregate %s of %s with %s: %s, loses %d"
            .formatted(group, queue.queue, rules, expected, nth));
    Optional<AggregationSet> set = worker.broker.aggregation().aggregate(queue.queue, group, rules);
    assertThat(set.map(AggregationSet::size).orElse(0)).isEqualTo(expected.size());
    set.ifPresent(
        made -> {
          sets.add(made);
          ModelBroker.aggregate(queue, group, made.setId(), expected, rules);
        });
  }

  private @Nullable AggregationSet anySet(double kept) {
    if (sets.isEmpty()) {
      return null;
    }
    AggregationSet set = run.pick(sets);
    if (!run.chance(kept)) {
      sets.remove(set);
    }
    return set;
  }

  private void read() {
    AggregationSet set = anySet(1);
    if (set == null) {
      return;
    }
    SimulatedWorker worker = run.patientWorker();
    worker.nodes.loseAnswer(0);
    SetContent content = worker.broker.aggregation().read(set);
    ModelQueue queue = run.model.queue(set.queue());
    ModelAggregationSet expected = queue.aggregationSets.get(set.setId());
    run.log("read a set of %s: %s".formatted(set.queue(), content.messages().size()));
    if (expected == null) {
      assertThat(content.deadline()).isNull();
      assertThat(content.messages()).isEmpty();
    } else {
      assertThat(content.deadline()).isEqualTo(Instant.ofEpochSecond(expected.expiry()));
      assertThat(content.messages())
          .extracting(TaskMessage::id)
          .isEqualTo(ModelQueue.inOrder(expected.members()));
    }
  }

  private void finish() {
    AggregationSet set = anySet(0.2);
    if (set == null) {
      return;
    }
    SimulatedWorker worker = run.patientWorker();
    NewTask aggregated = run.chance(0.2) ? null : run.newTask(set.queue());
    int nth = run.maybeLose(worker, 0.2, 1);
    run.log(
        "finish a set of %s with %s, loses %d"
            .formatted(
                set.queue(), aggregated == null ? "nothing" : aggregated.message().id(), nth));
    ModelQueue queue = run.model.queue(set.queue());
    assertThat(worker.broker.aggregation().finish(set, aggregated))
        .isEqualTo(run.model.finish(queue, set.setId(), aggregated));
  }

  private void giveBack() {
    AggregationSet set = anySet(0.2);
    if (set == null) {
      return;
    }
    SimulatedWorker worker = run.patientWorker();
    int nth = run.maybeLose(worker, 0.2, 1);
    run.log("give back a set of %s, loses %d".formatted(set.queue(), nth));
    int moved = worker.broker.aggregation().giveBack(set);
    int expected = ModelBroker.giveBack(run.model.queue(set.queue()), set.setId(), false);
    assertThat(moved).isEqualTo(nth > 0 ? 0 : expected);
  }

  private void reclaimStale() {
    ModelQueue queue = run.queue();
    SimulatedWorker worker = run.patientWorker();
    worker.nodes.loseAnswer(0);
    run.log("reclaim stale sets of %s".formatted(queue.queue));
    assertThat(worker.broker.aggregation().reclaimStale(queue.queue))
        .isEqualTo(ModelBroker.reclaimStale(queue, false));
  }

  private void sweep() {
    ModelQueue queue = run.queue();
    SimulatedWorker worker = run.patientWorker();
    worker.nodes.loseAnswer(0);
    int limit = run.chance(0.5) ? 200 : 1;
    run.log("sweep %d of %s".formatted(limit, queue.queue));
    int gone = worker.broker.aggregation().sweep(queue.queue, limit);
    int waiting = queue.spent.values().stream().mapToInt(Map::size).sum();
    assertThat(gone).isEqualTo(Math.min(limit, waiting));
    // Redis draws the sets; which they were shows in what is left.
    Map<String, String> now = QueueDump.of(run.link, queue.queue).lines();
    for (String setId : List.copyOf(queue.spent.keySet())) {
      String left = now.getOrDefault("spent:" + setId, "");
      long members = left.chars().filter(each -> each == '=').count();
      int swept = Objects.requireNonNull(queue.spent.get(setId)).size() - (int) members;
      if (swept > 0) {
        ModelBroker.sweep(queue, setId, swept);
      }
    }
  }

  private void forgetSets() {
    run.log("an aggregator forgets its sets");
    sets.clear();
  }
}
