package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskFailedException;
import io.asynq4j.client.TaskIdConflictException;
import io.asynq4j.client.UnconfirmedTaskException;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.inspect.QueueNotEmptyException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AsynqExceptionTest {

  @Test
  void everyExceptionHasOneRootAndNamesTheNextStep() {
    QueueName queue = QueueName.of("mail");
    TaskInfo task =
        TaskInfo.builder("1", queue, "t").state(TaskState.ARCHIVED).lastError("refused").build();

    List<AsynqException> all =
        List.of(
            new BrokerUnavailableException("down", false, new IllegalStateException()),
            new BrokerRefusedException("full", false, new IllegalStateException()),
            new PayloadException("unreadable", null),
            new DuplicateTaskException(queue, "t", "1"),
            new TaskIdConflictException(queue, "1"),
            new TaskNotFoundException(queue, "1"),
            new TaskStateException(queue, "1", "is active"),
            new TaskFailedException(task),
            new UnconfirmedTaskException(
                task, Durability.FSYNCED, new IllegalStateException("late")),
            new QueueNotFoundException(queue),
            new QueueNotEmptyException(queue, "active"),
            new ScheduleNotFoundException("e"),
            new HandlerNotFoundException("t"));

    assertThat(all).allSatisfy(each -> assertThat(each).hasMessageMatching("(?s).+"));
    assertThat(new QueueNotFoundException(queue)).hasMessageContaining("check its name");
    assertThat(new QueueNotEmptyException(queue, "active")).hasMessageContaining("delete them");
    assertThat(new TaskNotFoundException(queue, "1")).hasMessageContaining("check the queue");
    assertThat(new TaskFailedException(task))
        .hasMessageContaining("refused")
        .hasMessageContaining("run it again");
  }
}
