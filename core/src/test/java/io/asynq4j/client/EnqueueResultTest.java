package io.asynq4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import org.junit.jupiter.api.Test;

class EnqueueResultTest {

  private static final QueueName MAIL = QueueName.of("mail");

  private static TaskInfo info() {
    return TaskInfo.builder("id1", MAIL, "t").build();
  }

  @Test
  void anEnqueuedTaskIsGivenInEveryWay() {
    EnqueueResult result = new EnqueueResult.Enqueued(info());

    assertThat(result.orThrow()).isEqualTo(info());
    assertThat(result.task()).contains(info());
    assertThat(result.isEnqueued()).isTrue();
  }

  @Test
  void aDeferredTaskIsAcceptedAndNotEnqueued() {
    EnqueueResult result = new EnqueueResult.Deferred(info());

    assertThat(result.orThrow()).isEqualTo(info());
    assertThat(result.task()).contains(info());
    assertThat(result.isAccepted()).isTrue();
    assertThat(result.isEnqueued()).isFalse();
  }

  @Test
  void aDuplicateNamesTheTaskThatIsThereAlready() {
    EnqueueResult result = new EnqueueResult.Duplicate(MAIL, "email:welcome", "holder");

    assertThat(result.isEnqueued()).isFalse();
    assertThat(result.task()).isEmpty();
    assertThatThrownBy(result::orThrow)
        .isInstanceOf(DuplicateTaskException.class)
        .hasMessage(
            "task already exists: task with id=holder in queue \"mail\" has the same type"
                + " \"email:welcome\" and payload, and holds the unique lock; wait until it completes or"
                + " its lock expires, or enqueue without uniqueFor")
        .extracting(e -> ((DuplicateTaskException) e).holderId())
        .isEqualTo("holder");
  }

  @Test
  void aTakenIdIsNamedWithWhatToDo() {
    EnqueueResult result = new EnqueueResult.IdConflict(MAIL, "order-7");

    assertThat(result.isEnqueued()).isFalse();
    assertThatThrownBy(result::orThrow)
        .isInstanceOf(TaskIdConflictException.class)
        .hasMessageStartingWith(
            "task ID conflicts with another task: queue \"mail\" already has a task with id=order-7,")
        .hasMessageContaining("choose another ID")
        .extracting(e -> ((TaskIdConflictException) e).id())
        .isEqualTo("order-7");
  }

  @Test
  void aFailureIsThrownAsItIs() {
    RuntimeException failure = new IllegalArgumentException("no");
    EnqueueResult result = new EnqueueResult.Failed(failure);

    assertThat(result.isEnqueued()).isFalse();
    assertThatThrownBy(result::orThrow).isSameAs(failure);
  }
}
