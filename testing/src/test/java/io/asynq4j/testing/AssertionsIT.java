package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.ADA;
import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static io.asynq4j.testing.SampleTypes.MAIL;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.testing.SampleTypes.Mail;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

@AsynqTest
class AssertionsIT {

  private static void assertFailure(ThrowingCallable assertion, String... parts) {
    assertThatThrownBy(assertion)
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void everyConditionOfAnEnqueuedTaskCanBeAsserted(TaskClient client, TestQueues tasks) {
    client.enqueue(
        MAIL,
        ADA,
        o ->
            o.id("m1")
                .processIn(ofHours(24))
                .uniqueFor(ofHours(1))
                .header("tenant", "7")
                .timeout(ofMinutes(2))
                .deadline(tasks.now().plus(Duration.ofDays(3)))
                .retention(ofHours(5)));

    EnqueuedTasks<Mail> found =
        tasks
            .assertEnqueued(MAIL)
            .with(mail -> mail.language().equals("en"))
            .withPayload(ADA)
            .inQueue("mail")
            .inState(TaskState.SCHEDULED)
            .withId("m1")
            .withHeader("tenant", "7")
            .dueIn(ofHours(24))
            .dueAt(tasks.now().plus(ofHours(24)))
            .dueBetween(ofHours(24), ofHours(25))
            .unique()
            .maxRetry(3)
            .retried(0)
            .timeout(ofMinutes(2))
            .deadline(tasks.now().plus(Duration.ofDays(3)))
            .retention(ofHours(5))
            .where("no error", task -> task.lastError().isEmpty())
            .once();

    assertThat(found.payload()).isEqualTo(ADA);
    assertThat(found.task().id()).isEqualTo("m1");
    assertThat(found.payloads()).containsExactly(ADA);
    assertThat(found.tasks()).extracting(TaskInfo::id).containsExactly("m1");
    assertThat(found).asString().contains("email:welcome m1, queue mail, scheduled, due in PT24H");
  }

  @Test
  void everyWrongConditionFailsAtOnceAndNamesTheDifference(TaskClient client, TestQueues tasks) {
    client.enqueue(MAIL, ADA, o -> o.id("m1").header("tenant", "7"));
    EnqueuedTasks<Mail> found = tasks.assertEnqueued(MAIL);

    assertFailure(
        () -> found.inQueue("default"), "expected queue \"default\", but queue is \"mail\"");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).dueIn(ofHours(1)), "expected due in PT1H", "but due now");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).dueAt(tasks.now().plusSeconds(1)), "but due now");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).with(mail -> mail.to().isEmpty()),
        "the input does not match: Mail[to=ada@example.com, language=en]");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).withPayload(new Mail("a", "b")),
        "expected input Mail[to=a, language=b], but the input is different: Mail[to=ada");
    assertFailure(() -> tasks.assertEnqueued(MAIL).withId("m2"), "but id is \"m1\"");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).withHeader("tenant", "8"), "but header tenant is \"7\"");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).withHeader("trace", "8"), "but header trace is null");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).dueBetween(ofMinutes(1), ofMinutes(2)),
        "expected due from %s to %s"
            .formatted(tasks.now().plusSeconds(60), tasks.now().plusSeconds(120)),
        "but due now");
    assertThatThrownBy(() -> tasks.assertEnqueued(MAIL).dueBetween(ofMinutes(2), ofMinutes(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the earliest time must not be after the latest, got PT2M and PT1M");
    assertFailure(() -> tasks.assertEnqueued(MAIL).unique(), "but unique is false");
    assertFailure(() -> tasks.assertEnqueued(MAIL).inGroup("g"), "but group is \"\"");
    assertFailure(() -> tasks.assertEnqueued(MAIL).maxRetry(5), "but maxRetry is 3");
    assertFailure(() -> tasks.assertEnqueued(MAIL).retried(1), "but retried is 0");
    assertFailure(() -> tasks.assertEnqueued(MAIL).timeout(ofHours(1)), "but timeout is PT30M");
    assertFailure(() -> tasks.assertEnqueued(MAIL).retention(ofHours(1)), "but retention is PT0S");
    assertFailure(() -> tasks.assertEnqueued(MAIL).deadline(tasks.now()), "but deadline is null");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).inState(TaskState.SCHEDULED), "but state is PENDING");
    assertFailure(
        () -> tasks.assertEnqueued(MAIL).where("has failed", task -> task.retried() > 0),
        "not: has failed");
  }

  @Test
  void aFailureListsTheNearestTaskFirstAndTheOthers(TaskClient client, TestQueues tasks) {
    client.enqueue(MAIL, ADA, o -> o.id("far").queue("low"));
    client.enqueue(MAIL, ADA, o -> o.id("near").processIn(ofHours(24)));
    client.enqueue(INVOICE, 1);

    assertFailure(
        () -> tasks.assertEnqueued(MAIL).inQueue("mail").dueIn(ofHours(12)),
        "Expected a task email:welcome that waits with queue \"mail\", due in PT12H",
        "The nearest of 2:\n  email:welcome near",
        "Other types: 1 invoice (pending)");
  }

  @Test
  void aMissingTaskNamesWhatWasEnqueuedInstead(TaskClient client, TestQueues tasks) {
    assertFailure(
        () -> tasks.assertEnqueued(CLEANUP), "Expected a task cleanup that waits, found none.");
    client.enqueue(INVOICE, 1);

    assertFailure(() -> tasks.assertEnqueued(MAIL), "Other types: 1 invoice (pending)");
  }

  @Test
  void theNumberIsChecked(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1);
    client.enqueue(INVOICE, 2);

    tasks.assertEnqueued(INVOICE).times(2).with(n -> n == 1).once();
    assertFailure(
        () -> tasks.assertEnqueued(INVOICE).once(), "Expected 1 task invoice", "found 2:");
    assertFailure(() -> tasks.assertEnqueued(INVOICE).payload(), "found 2:");
    assertFailure(() -> tasks.assertEnqueued(INVOICE).times(3), "Expected 3", "found 2:");
    assertThatThrownBy(() -> tasks.assertEnqueued(INVOICE).times(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("times must be 1 or greater, got 0: use refuteEnqueued(invoice) for none");
  }

  @Test
  void enqueuedTasksCanBeRefuted(TaskClient client, TestQueues tasks) {
    tasks.refuteAnyEnqueued();
    tasks.refuteEnqueued(INVOICE);
    client.enqueue(INVOICE, 1);

    tasks.refuteEnqueued(MAIL);
    tasks.refuteEnqueued("email:welcome");
    tasks.refuteEnqueued(INVOICE, n -> n == 2);
    assertFailure(
        () -> tasks.refuteEnqueued(INVOICE), "Expected no task invoice, found 1:\n  invoice ");
    assertFailure(() -> tasks.refuteEnqueued("invoice"), "found 1:");
    assertFailure(() -> tasks.refuteEnqueued(INVOICE, n -> n == 1), "found 1:");
    assertFailure(tasks::refuteAnyEnqueued, "Expected no task, found 1:");
  }

  @Test
  void tasksCanBeAssertedByTheNameOfTheirType(TaskClient client, TestQueues tasks) {
    client.enqueue(Task.of("image:resize", Payload.ofUtf8("cat.png")));

    assertThat(tasks.assertEnqueued("image:resize").payload().utf8()).isEqualTo("cat.png");
  }

  @Test
  void anInputThatCannotBeDecodedIsNamed(TaskClient client, TestQueues tasks) {
    client.enqueue(Task.of("email:welcome", Payload.ofUtf8("no JSON")), o -> o.queue("mail"));

    assertFailure(
        () -> tasks.assertEnqueued(MAIL).with(mail -> true),
        "the input cannot be decoded",
        "payload no JSON");
    assertFailure(() -> tasks.refuteEnqueued(MAIL), "found 1:");
    tasks.refuteEnqueued(MAIL, mail -> true);
  }

  @Test
  void tasksOfAGroupAreEnqueued(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.group("customer-1"));

    tasks.assertEnqueued(INVOICE).inGroup("customer-1").inState(TaskState.AGGREGATING).once();
  }

  @Test
  void aTaskThatRunsNoMoreIsListedWithItsState(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.id("i1").maxRetry(0));
    tasks.handlers(
        (task, context) -> {
          throw new IllegalStateException("no printer");
        });
    tasks.drain();

    assertFailure(
        () -> tasks.assertEnqueued(INVOICE),
        "In other states:\n  invoice i1, queue default, archived, error \"java.lang.IllegalStateException: no printer\"");
    tasks.assertArchived(INVOICE).withId("i1").once();
    assertFailure(
        () -> tasks.assertCompleted(INVOICE), "Expected a task invoice in state completed");
  }

  @Test
  void aCompletedTaskIsKeptForItsRetention(TaskClient client, TestQueues tasks) {
    TaskType<Integer> kept = INVOICE.with(o -> o.retention(ofHours(1)));
    client.enqueue(kept, 1);
    tasks.handlers((task, context) -> io.asynq4j.handler.Outcome.done("ok")).drain();

    tasks.assertCompleted(kept).where("a result", task -> task.result().isPresent()).once();
    tasks.advance(ofMinutes(59)).assertCompleted(kept);
    tasks.advance(ofMinutes(2));
    assertFailure(() -> tasks.assertCompleted(kept), "found none");
  }

  @Test
  void theTimeOfAPreciseTaskIsComparedExactly(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.precise().processIn(Duration.ofMillis(10_600)));

    tasks.assertEnqueued(INVOICE).dueIn(Duration.ofMillis(10_600)).once();
    assertFailure(
        () -> tasks.assertEnqueued(INVOICE).dueIn(Duration.ofSeconds(10)), "but due in PT10.6S");
  }

  @Test
  void longAndBinaryInputsAreShortInMessages(TaskClient client, TestQueues tasks) {
    TaskType<String> text = TaskType.of("text", String.class);
    TaskType<byte[]> binary = TaskType.of("binary", byte[].class);
    client.enqueue(text, "😀".repeat(300));
    client.enqueue(binary, new byte[] {-1, -2, -3});

    assertFailure(
        () -> tasks.assertEnqueued(text).withPayload("x".repeat(300)),
        "with input " + "x".repeat(200) + "…, found none",
        "payload \"" + "😀".repeat(199) + "…\n",
        "but the input is different: " + "😀".repeat(200) + "…");
    assertFailure(
        () -> tasks.assertEnqueued(binary).withPayload(new byte[] {1, 2}),
        "with input 2 bytes, found none",
        "but the input is different: 3 bytes");
  }
}
