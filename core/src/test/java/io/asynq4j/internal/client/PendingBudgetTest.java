package io.asynq4j.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.broker.NewTask;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Places for tasks that wait to be sent to several Redis servers. */
class PendingBudgetTest {

  private static final NewTask TASK = task(0);

  private final PendingBudget room = new PendingBudget(100);

  private static NewTask task(int bytes) {
    return NewTask.of(
        Task.of("t", Payload.of(new byte[bytes])), TaskOptions.of(o -> o), Instant.EPOCH);
  }

  /** How many tasks for a server enter until one does not. */
  private int fill(String shard) {
    for (int entered = 0; ; entered++) {
      try {
        room.enter(TASK, shard, System.nanoTime());
      } catch (BrokerUnavailableException e) {
        assertThat(e.mayHaveBeenApplied()).isFalse();
        return entered;
      }
    }
  }

  @Test
  void tasksForOneServerTakeAllPlacesWhereThereIsOnlyOne() {
    assertThat(fill("")).isEqualTo(100);
  }

  @Test
  void tasksForAnyNumberOfServersLeavePlacesForOthers() {
    assertThat(fill("a")).isEqualTo(50);
    assertThat(fill("b")).isEqualTo(25);
    assertThat(fill("c")).isGreaterThan(5);

    room.enter(TASK, "d", System.nanoTime());
  }

  @Test
  void allTogetherNeverTakeMoreThanThereIs() {
    int entered = 0;
    for (int i = 0; i < 500; i++) {
      entered += fill("shard" + i);
    }
    assertThat(entered).isEqualTo(100);
    assertThatThrownBy(() -> room.enter(TASK, "", System.nanoTime()))
        .isInstanceOf(BrokerUnavailableException.class);
  }

  @Test
  void aWaitingCallerEntersWhenTasksForTheSameServerLeave() throws Exception {
    fill("a");
    CompletableFuture<Void> entered = enterInBackground(TASK, "a");

    room.leave(TASK, "a");

    entered.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aWaitingCallerEntersWhenTasksForAnotherServerLeave() throws Exception {
    NewTask large = task(70 * 4096);
    room.enter(large, "a", System.nanoTime());
    fill("b");
    CompletableFuture<Void> entered = enterInBackground(TASK, "b");

    room.leave(large, "a");

    entered.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aTaskThatFitsEntersThoughALargerOneHasWaitedForLonger() throws Exception {
    fill("a");
    CompletableFuture<Void> large = enterInBackground(task(30 * 4096), "a");
    CompletableFuture<Void> small = enterInBackground(TASK, "a");

    room.leave(TASK, "a");

    small.get(30, TimeUnit.SECONDS);
    assertThat(large).isNotDone();
  }

  @Test
  void aTaskThatTakesAllPlacesEntersWhenAllOthersHaveLeft() throws Exception {
    NewTask huge = task(200 * 4096);
    room.enter(TASK, "a", System.nanoTime());
    CompletableFuture<Void> entered = enterInBackground(huge, "b");

    room.leave(TASK, "a");

    entered.get(30, TimeUnit.SECONDS);
    assertThat(fill("a")).isZero();
  }

  @Test
  void anInterruptedCallerDoesNotEnterAndDelaysNoOther() throws Exception {
    fill("a");
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread interrupted =
        new Thread(
            () -> {
              try {
                room.enter(TASK, "a", null);
                thrown.completeExceptionally(new AssertionError("it has entered"));
              } catch (BrokerUnavailableException e) {
                thrown.complete(e);
              }
            });
    interrupted.setDaemon(true);
    interrupted.start();
    await().until(() -> interrupted.getState() == Thread.State.WAITING);
    CompletableFuture<Void> other = enterInBackground(TASK, "a");

    interrupted.interrupt();
    assertThat(thrown.get(30, TimeUnit.SECONDS)).hasMessageEndingWith("the task was not sent");
    room.leave(TASK, "a");

    other.get(30, TimeUnit.SECONDS);
  }

  /** Returns when it waits. */
  private CompletableFuture<Void> enterInBackground(NewTask task, String shard) {
    CompletableFuture<Void> entered = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              room.enter(task, shard, null);
              entered.complete(null);
            });
    thread.setDaemon(true);
    thread.start();
    await().until(() -> thread.getState() == Thread.State.WAITING);
    assertThat(entered).isNotDone();
    return entered;
  }
}
