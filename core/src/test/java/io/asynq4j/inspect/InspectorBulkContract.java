package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.inspect.InspectorContractSupport.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Searches and bulk operations. */
interface InspectorBulkContract extends InspectorContractSupport {

  TaskFilter EVEN =
      TaskFilter.of(task -> Integer.parseInt(task.id().substring(task.id().length() - 4)) % 2 == 0);

  private void seed(TaskState state, int count) {
    IntStream.range(0, count)
        .forEach(i -> redis().seed(state, String.format("t%04d", i), T - count + i));
  }

  private Selection select(TaskState state) {
    return inspector().queue("q").select(state);
  }

  private long size(TaskState state) {
    return inspector().queue("q").snapshot().size(state);
  }

  // ---- searching

  @Test
  default void everyFilterFindsItsTaskAmongOthers() {
    enqueue("mail-1", "email:welcome", "{\"user\":{\"id\":1}}", o -> o.header("tenant", "acme"));
    archiveNext("connection refused");
    redis().clock.advance(Duration.ofHours(1));
    enqueue("mail-2", "email:digest", "{\"user\":{\"id\":2}}", o -> o.maxRetry(0));
    archiveNext("Timeout after 30 s");
    redis().clock.advance(Duration.ofHours(1));
    enqueue("image-1", "image:resize", "no json");
    archiveNext("out of memory");
    Selection archived = select(TaskState.ARCHIVED);

    assertThat(found(archived.where(TaskFilter.type("email:*"))))
        .containsExactly("mail-2", "mail-1");
    assertThat(found(archived.where(TaskFilter.idPrefix("image")))).containsExactly("image-1");
    assertThat(found(archived.where(TaskFilter.errorContains("TIMEOUT"))))
        .containsExactly("mail-2");
    assertThat(found(archived.where(TaskFilter.payloadContains("json"))))
        .containsExactly("image-1");
    assertThat(found(archived.where(TaskFilter.payloadAt("$.user.id", "1"))))
        .containsExactly("mail-1");
    assertThat(found(archived.where(TaskFilter.header("tenant", "acme"))))
        .containsExactly("mail-1");
    assertThat(found(archived.where(TaskFilter.olderThan(Duration.ofMinutes(90)))))
        .containsExactly("mail-1");
    assertThat(found(archived.where(TaskFilter.youngerThan(Duration.ofMinutes(30)))))
        .containsExactly("image-1");
    assertThat(
            found(
                archived
                    .where(TaskFilter.type("email:*"))
                    .where(TaskFilter.type("*:digest").negate())))
        .containsExactly("mail-1");
    assertThat(found(archived.where(TaskFilter.retriedAtLeast(1)))).isEmpty();
  }

  private static List<String> found(Selection selection) {
    assertThat(ids(selection.stream().toList())).isEqualTo(ids(selection.find(100).tasks()));
    return ids(selection.find(100).tasks());
  }

  @Test
  default void aSearchContinuesWhereItEnded() {
    for (TaskState state : List.of(TaskState.ARCHIVED, TaskState.PENDING, TaskState.AGGREGATING)) {
      redis().server.flush();
      seed(state, 450);
      List<String> found = new ArrayList<>();
      String cursor = null;
      long looked = 0;
      do {
        TaskPage page = select(state).where(EVEN).after(cursor).find(60);
        assertThat(page.total()).isEqualTo(450);
        looked += page.looked();
        found.addAll(ids(page.tasks()));
        cursor = page.cursor();
      } while (cursor != null);

      assertThat(found).hasSize(225).doesNotHaveDuplicates();
      assertThat(looked).isEqualTo(450);
      assertThat(found.get(0)).isEqualTo(state == TaskState.ARCHIVED ? "t0448" : "t0000");
    }
  }

  @Test
  default void aSearchLooksNoFurtherThanItMay() {
    seed(TaskState.RETRY, 300);
    TaskFilter last = TaskFilter.idPrefix("t0299");

    TaskPage none = select(TaskState.RETRY).where(last).lookAtMost(250).find(1);
    assertThat(none.tasks()).isEmpty();
    assertThat(none.looked()).isEqualTo(250);
    TaskPage stopped = select(TaskState.RETRY).where(last).stopWhen(() -> true).find(1);
    assertThat(stopped.looked()).isZero();
    TaskPage one = select(TaskState.RETRY).where(last).after(none.cursor()).find(9);
    assertThat(ids(one.tasks())).containsExactly("t0299");
    assertThat(one.cursor()).isNull();
    assertThatThrownBy(() -> select(TaskState.RETRY).after("?").find(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"?\"");
    assertThatThrownBy(() -> select(TaskState.RETRY).after(none.cursor()).delete())
        .hasMessageContaining("can only resume a search");
    assertThatThrownBy(() -> select(TaskState.RETRY).find(0)).hasMessageContaining("0");
  }

  @Test
  default void groupsAreSearchedOneAfterTheOther() {
    for (String group : List.of("b", "a", "c")) {
      IntStream.range(0, 3).forEach(i -> enqueue(group + i, "t", "p", o -> o.group(group)));
    }
    Selection all = select(TaskState.AGGREGATING);

    assertThat(ids(all.stream().toList()))
        .containsExactly("a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2");
    TaskPage four = all.find(4);
    assertThat(ids(four.tasks())).containsExactly("a0", "a1", "a2", "b0");
    assertThat(four.total()).isEqualTo(9);
    assertThat(ids(all.after(four.cursor()).find(3).tasks())).containsExactly("b1", "b2", "c0");
    assertThat(ids(all.inGroup("b").find(9).tasks())).containsExactly("b0", "b1", "b2");
    assertThat(all.inGroup("none").find(9).cursor()).isNull();
    assertThat(all.inGroup("b").delete().done()).isEqualTo(3);
    assertThat(inspector().queue("q").groups().keySet()).containsExactly("a", "c");
    assertThatThrownBy(() -> select(TaskState.RETRY).inGroup("g")).hasMessageContaining("retry");
  }

  @Test
  default void aStreamLooksOnlyAsFarAsItIsReadTo() {
    seed(TaskState.RETRY, 1_000);
    Set<String> looked = new HashSet<>();
    TaskFilter noting =
        TaskFilter.of(
            task -> {
              looked.add(task.id());
              return true;
            });

    assertThat(ids(select(TaskState.RETRY).where(noting).stream().limit(3).toList()))
        .containsExactly("t0000", "t0001", "t0002");
    assertThat(looked).hasSizeLessThan(500);
    assertThat(select(TaskState.RETRY).limit(7).stream()).hasSize(7);
  }

  // ---- many at once

  @Test
  default void aDryRunCountsWhatTheRunWillDo() {
    for (TaskState state :
        List.of(
            TaskState.SCHEDULED,
            TaskState.RETRY,
            TaskState.ARCHIVED,
            TaskState.COMPLETED,
            TaskState.PENDING,
            TaskState.AGGREGATING)) {
      redis().server.flush();
      seed(state, 501);
      Selection wanted = select(state).where(EVEN);

      BulkReport counted = wanted.count();
      assertThat(counted).isEqualTo(BulkReport.builder().looked(501).matched(251).build());
      assertThat(size(state)).isEqualTo(501);

      BulkReport deleted = wanted.delete();
      assertThat(deleted)
          .isEqualTo(BulkReport.builder().looked(501).matched(251).done(251).build());
      assertThat(size(state)).isEqualTo(250);
      assertThat(wanted.count().matched()).isZero();
    }
  }

  @Test
  default void manyAreRunArchivedAndMovedInTheirOrder() {
    seed(TaskState.ARCHIVED, 300);
    assertThat(select(TaskState.ARCHIVED).where(EVEN).run().done()).isEqualTo(150);
    assertThat(inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(300)).tasks())
        .extracting(TaskInfo::id)
        .hasSize(150)
        .isSorted();
    assertThat(select(TaskState.PENDING).where(TaskFilter.idPrefix("t00")).moveTo("other").done())
        .isEqualTo(50);
    assertThat(select(TaskState.PENDING).archive().done()).isEqualTo(100);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(250);
    assertThat(inspector().queue("other").snapshot().size(TaskState.PENDING)).isEqualTo(50);
  }

  @Test
  default void whatIsWrongForAStateIsRefusedBeforeAnythingIsDone() {
    seed(TaskState.PENDING, 1);
    assertThatThrownBy(() -> select(TaskState.PENDING).run()).hasMessageContaining("pending");
    assertThatThrownBy(() -> select(TaskState.ARCHIVED).archive()).hasMessageContaining("already");
    assertThatThrownBy(() -> select(TaskState.ACTIVE).delete()).hasMessageContaining("cancel");
    assertThatThrownBy(() -> select(TaskState.ACTIVE).moveTo("x")).hasMessageContaining("active");
    assertThatThrownBy(() -> select(TaskState.PENDING).moveTo("q")).hasMessageContaining("\"q\"");
    assertThatThrownBy(() -> select(TaskState.PENDING).cancel(AfterCancel.RETRY))
        .hasMessageContaining("pending");
    assertThatThrownBy(() -> select(TaskState.PENDING).limit(0)).hasMessageContaining("0");
  }

  @Test
  default void manyRunningTasksAreCancelled() {
    seed(TaskState.ACTIVE, 5);

    assertThat(select(TaskState.ACTIVE).cancel(AfterCancel.DELETE).done()).isEqualTo(5);
    assertThat(size(TaskState.ACTIVE)).as("nobody was there to obey").isEqualTo(5);
  }

  @Test
  default void anOperationIsStoppedAndContinuesLaterWhereItWas() {
    for (TaskState state : List.of(TaskState.RETRY, TaskState.PENDING, TaskState.AGGREGATING)) {
      redis().server.flush();
      seed(state, 900);
      List<BulkProgress> reported = new ArrayList<>();
      Selection wanted = select(state).where(EVEN);

      BulkReport first =
          wanted.onProgress(reported::add).stopWhen(() -> reported.size() == 2).archive();

      assertThat(first.isComplete()).isFalse();
      assertThat(first.done()).isEqualTo(200);
      assertThat(reported)
          .containsExactly(
              BulkProgress.of(200, 900, 100, 100, 0), BulkProgress.of(400, 900, 200, 200, 0));
      BulkReport rest = wanted.after(first.cursor()).archive();
      assertThat(rest.isComplete()).isTrue();
      assertThat(rest.done()).isEqualTo(250);
      assertThat(rest.looked()).isEqualTo(500);
      assertThat(size(TaskState.ARCHIVED)).isEqualTo(450);
    }
  }

  @Test
  default void anInterruptStopsAnOperationToo() {
    seed(TaskState.RETRY, 300);
    BulkReport report =
        select(TaskState.RETRY).onProgress(so -> Thread.currentThread().interrupt()).delete();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(report.done()).isEqualTo(200);
    assertThat(report.isComplete()).isFalse();
  }

  @Test
  default void noMoreAreDealtWithThanWereAskedFor() {
    for (TaskState state : List.of(TaskState.RETRY, TaskState.PENDING)) {
      redis().server.flush();
      seed(state, 400);
      Selection wanted = select(state).where(EVEN).limit(130);

      BulkReport first = wanted.delete();
      assertThat(first.done()).isEqualTo(130);
      assertThat(size(state)).isEqualTo(270);
      BulkReport second = wanted.after(first.cursor()).delete();
      assertThat(second.done()).isEqualTo(70);
      assertThat(second.isComplete()).isTrue();
      assertThat(first.looked() + second.looked()).isEqualTo(400);
    }
  }

  @Test
  default void whatComesInMeanwhileIsNotForThisRun() {
    seed(TaskState.ARCHIVED, 300);

    BulkReport report =
        select(TaskState.ARCHIVED)
            // They fail at once, and are archived again.
            .onProgress(
                so -> {
                  redis().clock.advance(Duration.ofSeconds(1));
                  while (size(TaskState.PENDING) > 0) {
                    archiveNext("again");
                  }
                })
            .run();

    assertThat(report.isComplete()).isTrue();
    assertThat(report.looked()).isEqualTo(300);
    assertThat(report.done()).isEqualTo(300);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(300);
  }

  @Test
  default void tasksThatWorkersTakeAndProducersBringDoNotHideOthers() {
    seed(TaskState.PENDING, 600);
    List<Integer> rounds = new ArrayList<>();

    BulkReport report =
        select(TaskState.PENDING)
            .where(TaskFilter.of(task -> task.id().startsWith("t") && task.id().endsWith("5")))
            .onProgress(
                so -> {
                  rounds.add(rounds.size());
                  redis().claim(10);
                  redis().enqueue("new" + rounds.size());
                })
            .delete();

    assertThat(rounds).hasSizeGreaterThan(2);
    // The oldest were taken by workers before their turn came.
    assertThat(report.done()).isBetween(56L, 60L);
    assertThat(ids(inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(600)).tasks()))
        .noneMatch(id -> id.startsWith("t") && id.endsWith("5"));
  }

  @Test
  default void whatCannotBeDoneIsReportedTaskByTask() {
    redis().enqueueMany(3, o -> o.processIn(Duration.ofHours(1)));
    redis().raw(Command.HSET, RedisKeys.task(BrokerFixture.Q, "t0001"), "msg", "?");
    Broker meanwhile =
        before("archive", 1, () -> redis().actions().delete(BrokerFixture.Q, List.of("t0002")));

    BulkReport report =
        InspectorAccess.broker(meanwhile).queue("q").select(TaskState.SCHEDULED).archive();

    assertThat(report.done()).isEqualTo(1);
    assertThat(report.failed()).isEqualTo(2);
    assertThat(report.failures())
        .extracting(BulkReport.Failure::id)
        .containsExactlyInAnyOrder("t0001", "t0002");
    assertThat(report.isComplete()).isTrue();
  }

  @Test
  default void whenRedisFailsMidwayTheReportShowsTheProgress() {
    seed(TaskState.RETRY, 500);
    BrokerUnavailableException gone =
        new BrokerUnavailableException("gone", false, new IllegalStateException());
    Broker failing =
        before(
            "archive",
            2,
            () -> {
              throw gone;
            });

    BulkReport report =
        InspectorAccess.broker(failing).queue("q").select(TaskState.RETRY).archive();

    assertThat(report.done()).isEqualTo(200);
    assertThat(report.problem()).isEqualTo("gone");
    assertThat(select(TaskState.RETRY).after(report.cursor()).archive().done()).isEqualTo(300);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(500);
    Broker down =
        before(
            "archive",
            1,
            () -> {
              throw gone;
            });
    redis().seed(TaskState.RETRY, "more", T);
    assertThatThrownBy(
            () -> InspectorAccess.broker(down).queue("q").select(TaskState.RETRY).archive())
        .isSameAs(gone);
  }
}
