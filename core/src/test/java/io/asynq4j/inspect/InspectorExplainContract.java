package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.RateLimit;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Why a task does not run. */
interface InspectorExplainContract extends InspectorContractSupport {

  /** A server of queue {@code q} with two workers, this many of them busy. */
  private void serve(String status, int busy, Presence.Worker... workers) {
    Presence.Server server =
        new Presence.Server("host", 7, "s1", 2, Map.of("q", 1), false, status, NOON, busy, null);
    redis().presence().show(server, List.of(workers), Duration.ofHours(2));
  }

  private List<Reason> why(String id) {
    Explanation explanation = inspector().queue("q").explain(id);
    assertThat(explanation.task().id()).isEqualTo(id);
    explanation.reasons().forEach(why -> assertThat(explanation.text()).contains(why.text()));
    return explanation.reasons();
  }

  @Test
  default void aTaskThatNothingHoldsIsAboutToRun() {
    serve("active", 0);
    redis().enqueue("a");

    assertThat(why("a")).isEmpty();
    assertThat(inspector().queue("q").explain("a").text()).contains("Nothing in Redis delays it");
  }

  @Test
  default void aTaskThatIsNotDueWaitsForItsTime() {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofMinutes(5))));

    assertThat(why("a"))
        .containsExactly(new Reason.NotDue(NOON.plusSeconds(300), Duration.ofMinutes(5)));
    assertThat(inspector().queue("q").explain("a").text()).contains("in 5m");
    redis().clock.advance(Duration.ofMinutes(6));
    assertThat(why("a"))
        .containsExactly(new Reason.NotForwarded(NOON.plusSeconds(300)), new Reason.NoServer(0));
    serve("active", 0);
    assertThat(why("a")).containsExactly(new Reason.NotForwarded(NOON.plusSeconds(300)));
  }

  @Test
  default void aTaskThatFailedWaitsForItsNextAttempt() {
    redis().enqueue(redis().task("a", o -> o.maxRetry(3)));
    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofHours(1), "broken", true, false));

    assertThat(why("a"))
        .containsExactly(
            new Reason.NotDue(NOON.plusSeconds(3600), Duration.ofHours(1)),
            new Reason.AttemptFailed("broken", NOON, 1, 3));
  }

  @Test
  default void aTaskWithoutAHandlerReportsIt() {
    redis().enqueue("a");
    redis()
        .settle(
            new Settlement.Retry(
                redis().claimOne(),
                Duration.ofMinutes(1),
                "handler not found for task \"t\"",
                false,
                false));

    assertThat(why("a"))
        .containsExactly(
            new Reason.NotDue(NOON.plusSeconds(60), Duration.ofMinutes(1)),
            new Reason.NoHandler("t"));
  }

  @Test
  default void aPausedQueueRunsNothing() {
    serve("active", 0);
    redis().enqueue("a");
    inspector().queue("q").pause();
    redis().clock.advance(Duration.ofSeconds(9));

    assertThat(why("a")).containsExactly(new Reason.QueuePaused(NOON));
  }

  @Test
  default void aLimitHoldsATask() {
    serve("active", 1);
    redis().enqueue("a", "b");
    inspector().queue("q").setLimits(QueueLimits.NONE.withMaxActive(1));
    redis().claimOne();

    assertThat(why("b")).containsExactly(new Reason.LimitReached(1, 1));
    inspector().queue("q").setLimits(QueueLimits.NONE.withOrdered(true));
    assertThat(why("b")).containsExactly(new Reason.LimitReached(1, 1));
    inspector().queue("q").setLimits(QueueLimits.NONE);
    assertThat(why("b")).isEmpty();
  }

  @Test
  default void aRateLimitDelaysATaskAndReportsWhenItMayStart() {
    serve("active", 1);
    redis().enqueue("a", "b", "c");
    RateLimit rate = new RateLimit(2, Duration.ofMinutes(1), 1);
    redis().claimBatch(1, new QueueRules(0, false, rate));

    assertThat(why("b")).containsExactly(new Reason.RateReached(rate, NOON.plusSeconds(30)));
    assertThat(inspector().queue("q").explain("b").text())
        .contains("rate limit of its queue is 2/m")
        .contains(NOON.plusSeconds(30).toString());
    assertThat(why("c"))
        .containsExactly(
            new Reason.RateReached(rate, NOON.plusSeconds(60)), new Reason.Behind(1, false));
    redis().clock.advance(Duration.ofSeconds(31));
    assertThat(why("b")).isEmpty();
    inspector().queue("q").setLimits(QueueLimits.NONE.withRate(RateLimit.UNLIMITED));
    assertThat(why("c")).containsExactly(new Reason.Behind(1, false));
  }

  @Test
  default void inAnOrderedQueueATaskBlocksTheQueue() {
    serve("active", 0);
    redis().enqueue("a", "b");
    QueueRules ordered = new QueueRules(0, true);
    redis()
        .settle(
            new Settlement.Retry(
                redis().claimBatch(1, ordered).claims().get(0),
                Duration.ofMinutes(1),
                "broken",
                true,
                false),
            ordered);

    Reason held = new Reason.QueueBlocked("a", NOON.plusSeconds(60));
    assertThat(why("a")).containsExactly(held);
    assertThat(why("b")).containsExactly(held, new Reason.Behind(1, false));
  }

  @Test
  default void aTaskBehindOthersReportsHowMany() {
    serve("active", 2);
    redis().enqueueMany(30, o -> o);

    assertThat(why("t0029"))
        .containsExactly(new Reason.Behind(29, false), new Reason.WorkersBusy(1, 2));
    assertThat(inspector().queue("q").explain("t0001").text()).startsWith("1 task is before it.");
    assertThat(new Reason.Behind(100_000, true).text()).startsWith("At least 100,000 tasks");
  }

  @Test
  default void aTaskThatNoServerServesReportsIt() {
    redis().enqueue("a");
    assertThat(why("a")).containsExactly(new Reason.NoServer(0));
    serve("stopped", 0);
    assertThat(why("a")).containsExactly(new Reason.NoServer(1));
  }

  @Test
  default void aRunningTaskReportsWhereAndSinceWhen() {
    redis().enqueue("a");
    redis().claimOne();
    assertThat(why("a")).containsExactly(new Reason.HeldUnseen());

    serve(
        "active",
        1,
        new Presence.Worker(
            "host", 7, "s1", "a", "t", Payload.absent(), Q, NOON, NOON.plusSeconds(30)));
    String running =
        "It is running on server s1 (host:7), started at %s, with deadline %s."
            .formatted(NOON, NOON.plusSeconds(30));
    Reason.Running reason = (Reason.Running) why("a").get(0);
    assertThat(reason.text()).isEqualTo(running);
    assertThat(reason.server().id()).isEqualTo("s1");
    assertThat(reason.worker().taskId()).isEqualTo("a");

    redis().clock.advance(Duration.ofMinutes(1));
    assertThat(why("a"))
        .extracting(Reason::text)
        .containsExactly(running, new Reason.Orphaned().text());
  }

  @Test
  default void aTaskInAGroupWaitsForTheOthers() {
    redis().enqueue(redis().task("a", o -> o.group("g")), redis().task("b", o -> o.group("g")));

    assertThat(why("a")).containsExactly(new Reason.InGroup("g", 2, NOON));
  }

  @Test
  default void aTaskThatHasEndedReportsHow() {
    redis().enqueue("a");
    archiveNext("broken");
    assertThat(why("a")).containsExactly(new Reason.Archived(NOON, "broken"));

    redis().seed(TaskState.COMPLETED, "c", T + 10);
    assertThat(why("c")).containsExactly(new Reason.Completed(null));
  }
}
