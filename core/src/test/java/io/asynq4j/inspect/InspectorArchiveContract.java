package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Archiving deletes no archived task, unless requested. */
interface InspectorArchiveContract extends InspectorContractSupport {

  private Inspector keeping(int archived) {
    return InspectorAccess.broker(redis().broker, archived, Duration.ofDays(90));
  }

  private void seed(TaskState state, String prefix, int count) {
    IntStream.range(0, count).forEach(i -> redis().seed(state, prefix + i, T - count + i));
  }

  private long size(TaskState state) {
    return inspector().queue("q").snapshot().size(state);
  }

  @Test
  default void aTaskIsNotArchivedIntoAFullArchive() {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(TaskState.RETRY, "new", 1);

    assertThatThrownBy(() -> keeping(3).queue("q").archive("new0"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("the archive of its queue is full");

    assertThat(size(TaskState.ARCHIVED)).isEqualTo(3);
    assertThat(size(TaskState.RETRY)).isEqualTo(1);
    assertThat(inspector().queue("q").task("new0").state()).isEqualTo(TaskState.RETRY);
  }

  @Test
  default void theOldestGoesWhenThatIsAllowed() {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(TaskState.RETRY, "new", 1);

    keeping(3).droppingOldest().queue("q").archive("new0");

    assertThat(size(TaskState.ARCHIVED)).isEqualTo(3);
    assertThat(inspector().queue("q").count(List.of("old0", "old1", "old2", "new0"))).isEqualTo(3);
    assertThat(inspector().queue("q").count(List.of("old0"))).isZero();
  }

  @Test
  default void chosenTasksAreArchivedAsFarAsThereIsRoom() {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(TaskState.PENDING, "new", 4);
    List<String> ids = List.of("new0", "none", "new1", "new2", "new3");

    assertThat(keeping(5).queue("q").archiveRoom()).isEqualTo(2);
    BulkReport report = keeping(5).queue("q").archive(ids);

    assertThat(report.done()).isEqualTo(2);
    assertThat(report.dropped()).isZero();
    assertThat(report.failures())
        .extracting(BulkReport.Failure::id)
        .containsExactly("none", "new2", "new3");
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(5);
    assertThat(size(TaskState.PENDING)).isEqualTo(2);
    assertThat(keeping(5).queue("q").archiveRoom()).isZero();

    BulkReport allowed = keeping(5).droppingOldest().queue("q").archive(List.of("new2", "new3"));
    assertThat(allowed.done()).isEqualTo(2);
    assertThat(allowed.dropped()).isEqualTo(2);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(5);
  }

  @Test
  default void allOfAStateAreRefusedBeforeAnyIsArchived() {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(TaskState.SCHEDULED, "new", 300);

    assertThatThrownBy(() -> keeping(302).queue("q").archiveAll(TaskState.SCHEDULED))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("300 scheduled tasks of queue \"q\" do not fit")
        .hasMessageContaining("room for 299");
    assertThat(size(TaskState.SCHEDULED)).isEqualTo(300);

    assertThat(keeping(303).queue("q").archiveAll(TaskState.SCHEDULED)).isEqualTo(300);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(303);
  }

  @Test
  default void eachOfAStateIsArchivedUntilTheArchiveIsFull() {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(TaskState.SCHEDULED, "new", 300);

    BulkReport report = keeping(250).queue("q").archiveEach(TaskState.SCHEDULED, so -> {});

    assertThat(report.done()).isEqualTo(247);
    assertThat(report.dropped()).isZero();
    assertThat(report.problem()).contains("the archive of queue \"q\" is full (250 tasks)");
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(250);
    assertThat(size(TaskState.SCHEDULED)).isEqualTo(53);

    BulkReport rest =
        keeping(250).droppingOldest().queue("q").archiveEach(TaskState.SCHEDULED, so -> {});
    assertThat(rest.done()).isEqualTo(53);
    assertThat(rest.dropped()).isEqualTo(53);
    assertThat(rest.problem()).isNull();
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(250);
  }

  @ParameterizedTest
  @EnumSource(names = {"PENDING", "RETRY"})
  default void aSelectionIsArchivedUntilTheArchiveIsFullAndContinuesThere(TaskState state) {
    seed(TaskState.ARCHIVED, "old", 3);
    seed(state, "new", 500);

    BulkReport report =
        keeping(303).queue("q").select(state).where(TaskFilter.idPrefix("new")).archive();

    assertThat(report.done()).isEqualTo(300);
    assertThat(report.dropped()).isZero();
    assertThat(report.problem()).contains("is full");
    assertThat(report.cursor()).isNotNull();
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(303);
    assertThat(size(state)).isEqualTo(200);

    BulkReport rest =
        keeping(303).queue("q").select(state).after(report.cursor()).droppingOldest().archive();

    assertThat(rest.done()).isEqualTo(200);
    assertThat(rest.dropped()).isEqualTo(200);
    assertThat(rest.isComplete()).isTrue();
    assertThat(size(state)).isZero();
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(303);
  }

  @Test
  default void whatIsTooOldForTheArchiveMakesRoomAsAlways() {
    redis().seed(TaskState.ARCHIVED, "ancient0", T - Duration.ofDays(100).toSeconds());
    redis().seed(TaskState.ARCHIVED, "ancient1", T - Duration.ofDays(91).toSeconds());
    seed(TaskState.ARCHIVED, "old", 1);
    seed(TaskState.PENDING, "new", 3);

    BulkReport report = keeping(3).queue("q").archive(List.of("new0", "new1", "new2"));

    assertThat(report.done()).isEqualTo(2);
    assertThat(report.dropped()).isZero();
    assertThat(inspector().queue("q").count(List.of("ancient0", "ancient1"))).isZero();
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(3);
  }

  @Test
  default void anArchiveThatGoHasFilledIsNotTrimmedWithoutBeingAsked() {
    seed(TaskState.ARCHIVED, "old", 20);
    seed(TaskState.PENDING, "new", 1);

    assertThat(keeping(10).queue("q").archive(List.of("new0")).failed()).isEqualTo(1);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(20);

    assertThat(keeping(10).droppingOldest().queue("q").archive(List.of("new0")).dropped())
        .isEqualTo(11);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(10);
  }

  @Test
  default void groupsAreArchivedUntilTheArchiveIsFull() {
    List<String> ids = new ArrayList<>();
    for (String group : List.of("a", "b", "c")) {
      redis().enqueue(redis().task(group + 1, o -> o.group(group)));
      ids.add(group + 1);
    }

    BulkReport report = keeping(2).queue("q").archiveEach(TaskState.AGGREGATING, so -> {});

    assertThat(report.done()).isEqualTo(2);
    assertThat(report.problem()).contains("full");
    assertThat(redis().tasks().count(Q, ids)).isEqualTo(3);
  }
}
