package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.HandlerFailureException;
import io.asynq4j.server.ServerListener.TaskRef;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which failed attempts are logged, and which are only counted. */
class FailureLogTest {

  private static final QueueName MAIL = QueueName.of("mail");

  private long nanos = Long.MAX_VALUE - 5_000_000_000L; // It overflows within the first window.
  private final CapturedLogs logs = new CapturedLogs();
  private final FailureLog failures = new FailureLog(3, /* everyTrace= */ false, () -> nanos);

  @AfterEach
  void close() {
    logs.close();
  }

  private static TaskRef task(String type, int retried) {
    return TaskRef.of("01H", MAIL, Task.of(type), retried, 5, null);
  }

  private static Claim claim() {
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("01H")), Instant.EPOCH);
    return new Claim(task.message(), "token", Instant.EPOCH);
  }

  private static AppliedOutcome retried(Throwable error) {
    return new AppliedOutcome(
        Outcome.retry("e", Duration.ofSeconds(40)),
        new Settlement.Retry(claim(), Duration.ofSeconds(40), "e", true, false),
        error,
        /* failed= */ true);
  }

  private static AppliedOutcome archived(Throwable error) {
    return new AppliedOutcome(
        Outcome.archive("e"), new Settlement.Archive(claim(), "e"), error, /* failed= */ true);
  }

  private void failMany(String type, int times) {
    for (int i = 0; i < times; i++) {
      failures.finished(task(type, 0), retried(new IOException("no luck")));
    }
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    failures.reportUnlogged(/* all= */ false);
  }

  @Test
  void aFailureIsOneLine() {
    failures.finished(task("email:welcome", 1), retried(new IOException("connection reset")));

    assertThat(logs.text().lines()).hasSize(1);
    assertThat(logs.text())
        .contains("WARN io.asynq4j.server.FailureLog")
        .contains(
            "task email:welcome 01H (queue mail) failed, attempt 2 of 6, next in 40s:"
                + " java.io.IOException: connection reset");
  }

  @Test
  void whatArchivesATaskIsAnErrorWithItsStackTrace() {
    failures.finished(task("t", 5), archived(new IOException("connection reset")));

    assertThat(logs.lines("ERROR"))
        .singleElement()
        .asString()
        .endsWith(
            "task t 01H (queue mail) failed, attempt 6 of 6, archived:"
                + " java.io.IOException: connection reset");
    assertThat(logs.text()).contains("\tat " + getClass().getName());
  }

  @Test
  void everyFailureMayHaveItsStackTrace() {
    new FailureLog(3, /* everyTrace= */ true, () -> nanos)
        .finished(task("t", 0), retried(new IOException("connection reset")));

    assertThat(logs.lines("WARN")).hasSize(1);
    assertThat(logs.text()).contains("\tat " + getClass().getName());
  }

  @Test
  void whatAHandlerReturnedHasNoStackTrace() {
    failures.finished(task("t", 0), archived(new HandlerFailureException("no such user", null)));

    assertThat(logs.text().lines()).hasSize(1);
    assertThat(logs.text()).contains("archived: no such user");
  }

  @Test
  void whatIsNoFailureIsNotLogged() {
    AppliedOutcome failed = retried(new IOException("connection reset"));
    failures.finished(
        task("t", 0),
        new AppliedOutcome(
            failed.outcome(), failed.settlement(), failed.error(), /* failed= */ false));

    assertThat(logs.text()).isEmpty();
  }

  @Test
  void aLogLineCannotBeForged() {
    failures.finished(
        task("t\n12:00 ERROR x {}", 0),
        archived(new IOException("a\n12:00 ERROR y {}", new IOException("b\r\n12:00 ERROR z"))));

    assertThat(logs.lines("ERROR")).hasSize(1);
    assertThat(logs.text()).contains("task t\\n12:00 ERROR x {} 01H", "a\\n12:00 ERROR y {}");
    assertThat(logs.text().lines()).noneMatch(line -> line.startsWith("12:00"));
  }

  @Test
  void inAStormSomeOfEachTypeAreLoggedAndTheOthersCounted() {
    failMany("a", 40);
    failMany("b", 2);
    pass(Duration.ofSeconds(9));

    assertThat(logs.lines("WARN")).hasSize(5);

    pass(Duration.ofSeconds(1));

    assertThat(logs.linesWith("not logged"))
        .singleElement()
        .asString()
        .endsWith("37 more failures of a in the last 10s were not logged");

    pass(Duration.ofSeconds(20));
    assertThat(logs.lines("WARN")).hasSize(6);
    failMany("a", 1);
    assertThat(logs.lines("WARN")).hasSize(7);
  }

  @Test
  void aFailureAfterTheWindowReportsItFirst() {
    failMany("a", 5);
    nanos += Duration.ofSeconds(11).toNanos();
    failMany("a", 1);

    List<String> lines = logs.lines("WARN");
    assertThat(lines).hasSize(5);
    assertThat(lines.get(3)).endsWith("2 more failures of a in the last 11s were not logged");
    assertThat(lines.get(4)).contains("failed, attempt 1 of 6");
  }

  @Test
  void aStormOfRetriesDoesNotHideWhatIsArchived() {
    failMany("a", 40);
    failures.finished(task("a", 5), archived(new IOException("connection reset")));

    assertThat(logs.lines("ERROR")).hasSize(1);
  }

  @Test
  void aServerThatStopsReportsWhatItHasNotLogged() {
    failMany("a", 5);
    for (int i = 0; i < 4; i++) {
      failures.finished(task("a", 5), archived(new IOException("connection reset")));
    }
    nanos += Duration.ofSeconds(2).toNanos();
    failures.reportUnlogged(/* all= */ true);

    assertThat(logs.lines("WARN").get(3))
        .endsWith("2 more failures of a in the last 2s were not logged");
    assertThat(logs.lines("ERROR").get(3))
        .endsWith(
            "1 more failures of a in the last 2s, which archived their tasks, were not logged");
  }

  @Test
  void typesBeyondAThousandAreCountedTogether() {
    for (int i = 0; i < 5_000; i++) {
      failMany("type" + i, 1);
    }
    assertThat(logs.lines("WARN")).hasSize(FailureLog.MOST_TYPES - 2 + 3);

    pass(Duration.ofSeconds(10));

    assertThat(logs.linesWith("not logged"))
        .singleElement()
        .asString()
        .endsWith("3999 more failures of other types in the last 10s were not logged");
  }

  @Test
  void anExceptionThatFailsIsLoggedByItsName() {
    failures.finished(
        task("t", 0),
        archived(
            new IOException() {
              private static final long serialVersionUID = 1;

              @Override
              public String getMessage() {
                throw new IllegalStateException("no text");
              }
            }));

    assertThat(logs.lines("ERROR")).singleElement().asString().contains("FailureLogTest$1");
  }
}
