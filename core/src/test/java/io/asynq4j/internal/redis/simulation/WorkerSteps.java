package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.simulation.SimulatedWorker.Unanswered;
import io.asynq4j.internal.redis.simulation.Simulation.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Steps of our workers. */
final class WorkerSteps {

  private final Simulation run;

  WorkerSteps(Simulation run) {
    this.run = run;
  }

  List<Step> steps() {
    return List.of(
        new Step(150, this::claim),
        new Step(40, this::extend),
        new Step(130, this::settle),
        new Step(20, this::writeResult),
        new Step(6, this::crash));
  }

  private void claim() {
    SimulatedWorker worker = run.worker();
    ModelQueue queue = run.queue();
    Unanswered earlier = worker.unanswered(queue.queue).poll();
    int nth = run.maybeLose(worker, 0.15, 1);
    Unanswered asked =
        new Unanswered(
            null,
            List.of(),
            1 + run.random.nextInt(4),
            Duration.ofSeconds(5 + run.random.nextInt(20)),
            run.rules(queue.queue),
            /* isNew= */ true);
    ClaimBatch batch = null;
    try {
      batch = worker.broker.leases().claim(queue.queue, asked.max(), asked.lease(), asked.rules());
    } catch (BrokerUnavailableException e) {
      assertThat(worker.nodes.hasLost() && !worker.patient && e.mayHaveBeenApplied()).isTrue();
    }
    run.log(
        "%s claims %d of %s with %s, loses %d: %s"
            .formatted(worker.name, asked.max(), queue.queue, asked.rules(), nth, text(batch)));
    if (earlier != null) {
      if (earlier.token() != null) {
        List<String> held =
            earlier.ids().stream().filter(id -> queue.holds(id, earlier.token())).toList();
        if (batch == null) {
          worker.unanswered(queue.queue).add(earlier);
          return;
        }
        if (!held.isEmpty()) {
          given(worker, queue, held, asked.max(), batch, QueueCondition.MORE);
          return;
        }
      } else if (firstTime(worker, queue, earlier, asked.max(), batch)) {
        return;
      }
    }
    if (!firstTime(worker, queue, asked, asked.max(), batch)) {
      assertThat(batch).isNotNull();
    }
  }

  private static String text(@Nullable ClaimBatch batch) {
    return batch == null
        ? "no reply"
        : batch.claims().stream().map(Claim::id).toList() + " " + batch.rest();
  }

  /** A claim that Redis has done nothing for before. Whether that was the end of it. */
  private boolean firstTime(
      SimulatedWorker worker,
      ModelQueue queue,
      Unanswered asked,
      int max,
      @Nullable ClaimBatch batch) {
    ModelBroker.Claimable claimable = ModelBroker.claimable(queue, asked.max(), asked.rules());
    List<String> ids = claimable.ids();
    long seconds = asked.lease().toSeconds();
    if (batch == null) {
      String token = ids.isEmpty() ? null : storedToken(queue, ids.get(0));
      if (token != null) {
        ModelBroker.claim(queue, ids, seconds, token);
      }
      worker
          .unanswered(queue.queue)
          .add(
              new Unanswered(
                  token, ids, asked.max(), asked.lease(), asked.rules(), /* isNew= */ false));
      return true;
    }
    if (ids.isEmpty()) {
      if (batch.claims().isEmpty() && asked.isNew()) {
        assertThat(batch.rest()).isEqualTo(claimable.rest());
        assertThat(batch.heldUntil()).isEqualTo(claimable.heldUntil());
      }
      return false;
    }
    assertThat(batch.claims()).isNotEmpty();
    ModelBroker.claim(queue, ids, seconds, batch.claims().get(0).token());
    assertThat(batch.claims())
        .extracting(Claim::leasedUntil)
        .containsOnly(Instant.ofEpochSecond(queue.second() + seconds));
    given(
        worker,
        queue,
        ids,
        max,
        batch,
        worker.nodes.hasLost() ? QueueCondition.MORE : claimable.rest());
    return true;
  }

  private String storedToken(ModelQueue queue, String id) {
    String key = RedisKeys.task(queue.queue, id);
    return ReplyParser.text(
        run.link.call(
            key, ResendPolicy.NEVER, Command.HGET, new CommandArgs().add(key).add("claim")));
  }

  /** What is more than was asked for this time goes back to the head of the queue. */
  private void given(
      SimulatedWorker worker,
      ModelQueue queue,
      List<String> ids,
      int max,
      ClaimBatch batch,
      QueueCondition rest) {
    int kept = Math.min(ids.size(), max);
    assertThat(batch.claims()).extracting(Claim::id).isEqualTo(ids.subList(0, kept));
    assertThat(batch.rest()).isEqualTo(kept < ids.size() ? QueueCondition.MORE : rest);
    for (int i = ids.size() - 1; i >= kept; i--) {
      queue.endLease(ids.get(i));
      queue.task(ids.get(i)).unset("claim");
      queue.enterHead(ids.get(i));
    }
    worker.claims.addAll(batch.claims());
  }

  private @Nullable Claim anyClaim(SimulatedWorker worker) {
    return worker.claims.isEmpty() ? null : run.pick(worker.claims);
  }

  private List<Claim> claimsOfOneQueue(SimulatedWorker worker) {
    Claim first = anyClaim(worker);
    List<Claim> some = new ArrayList<>();
    if (first != null) {
      some.add(first);
      for (int i = run.random.nextInt(4); i > 0; i--) {
        Claim next = run.pick(worker.claims);
        if (next.queue().equals(first.queue())) {
          some.add(next);
        }
      }
    }
    return some;
  }

  private void extend() {
    SimulatedWorker worker = run.worker();
    List<Claim> claims = claimsOfOneQueue(worker);
    if (claims.isEmpty()) {
      return;
    }
    ModelQueue queue = run.model.queue(claims.get(0).queue());
    Duration lease = Duration.ofSeconds(1 + run.random.nextInt(20));
    run.maybeLose(worker, 0.1, 1);
    run.log(
        "%s extends %s by %s"
            .formatted(worker.name, claims.stream().map(Claim::id).toList(), lease));
    List<@Nullable Instant> answers = null;
    try {
      answers = worker.broker.leases().extend(queue.queue, claims, lease);
    } catch (BrokerUnavailableException e) {
      assertThat(worker.nodes.hasLost() && !worker.patient).isTrue();
    }
    List<@Nullable Instant> expected = new ArrayList<>();
    for (Claim claim : claims) {
      boolean mine = ModelBroker.extend(queue, claim.id(), claim.token(), lease.toSeconds());
      expected.add(mine ? Instant.ofEpochSecond(queue.second() + lease.toSeconds()) : null);
    }
    if (answers != null) {
      assertThat(answers).isEqualTo(expected);
    }
  }

  private void writeResult() {
    SimulatedWorker worker = run.worker();
    Claim claim = anyClaim(worker);
    if (claim == null) {
      return;
    }
    ModelQueue queue = run.model.queue(claim.queue());
    String result = "half" + run.random.nextInt(100);
    worker.nodes.loseAnswer(0);
    run.log("%s writes %s for %s/%s".formatted(worker.name, result, claim.queue(), claim.id()));
    boolean written = worker.broker.leases().writeResult(claim, Payload.ofUtf8(result));
    assertThat(written)
        .isEqualTo(ModelBroker.writeResult(queue, claim.id(), claim.token(), result));
  }

  private void settle() {
    SimulatedWorker worker = run.worker();
    List<Claim> claims = claimsOfOneQueue(worker);
    if (claims.isEmpty()) {
      return;
    }
    ModelQueue queue = run.model.queue(claims.get(0).queue());
    boolean mixed = run.chance(0.5);
    int kind = run.random.nextInt(6);
    List<Settlement> settlements = new ArrayList<>();
    for (Claim claim : claims) {
      settlements.add(settlement(claim, mixed ? run.random.nextInt(6) : kind));
    }
    QueueRules rules = run.rules(queue.queue);
    ArchiveRules archive = run.archiveRules();
    int nth = run.maybeLose(worker, 0.15, 2);
    run.log(
        "%s settles %s with %s, %s, loses %d"
            .formatted(
                worker.name,
                settlements.stream().map(WorkerSteps::text).toList(),
                rules,
                archive,
                nth));
    // Sometimes a worker does not know what it has done, and tries again later.
    claims.stream().filter(claim -> run.chance(0.85)).forEach(worker.claims::remove);
    List<SettleResult> answers;
    try {
      answers = worker.broker.leases().settle(queue.queue, settlements, rules, archive);
    } catch (BrokerUnavailableException e) {
      assertThat(worker.nodes.hasLost() && !worker.patient && e.mayHaveBeenApplied()).isTrue();
      ModelBroker.settle(queue, settlements, rules, archive, nth);
      return;
    }
    List<@Nullable SettleResult> expected =
        ModelBroker.settle(queue, settlements, rules, archive, Integer.MAX_VALUE);
    assertThat(answers).isEqualTo(expected);
  }

  private Settlement settlement(Claim claim, int kind) {
    Duration delay = run.delay();
    return switch (kind) {
      case 0 ->
          new Settlement.Complete(
              claim,
              run.chance(0.5) ? Payload.absent() : Payload.ofUtf8("done" + delay.toMillis()));
      case 1 -> new Settlement.Drop(claim);
      case 2 -> new Settlement.Retry(claim, delay, "no", run.chance(0.7), run.chance(0.3));
      case 3 -> new Settlement.Archive(claim, "never");
      case 4 -> new Settlement.Reschedule(claim, delay, run.chance(0.3));
      default -> new Settlement.Requeue(claim);
    };
  }

  private static String text(Settlement settlement) {
    return settlement.getClass().getSimpleName()
        + " "
        + settlement.claim().queue()
        + "/"
        + settlement.claim().id()
        + (settlement instanceof Settlement.Retry retry ? " in " + retry.delay() : "")
        + (settlement instanceof Settlement.Reschedule later ? " in " + later.delay() : "");
  }

  private void crash() {
    SimulatedWorker worker = run.worker();
    run.log("%s forgets its claims".formatted(worker.name));
    worker.claims.clear();
  }
}
