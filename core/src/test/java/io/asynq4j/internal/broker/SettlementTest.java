package io.asynq4j.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SettlementTest {

  @Test
  void oneCallTakesMoreOfThoseThatLeaveNothing() {
    assertThat(complete(o -> o).mostInACall()).isEqualTo(100);
    assertThat(complete(o -> o.retention(Duration.ofHours(1))).mostInACall()).isEqualTo(50);
    assertThat(new Settlement.Requeue(claim(o -> o)).mostInACall()).isEqualTo(50);
  }

  @Test
  void oneCallTakesFewerThatMayPutOthersOutOfTheArchive() {
    assertThat(new Settlement.Archive(claim(o -> o), "broken").mostInACall()).isEqualTo(25);
  }

  @Test
  void whatIsNotWantedAnyMoreLeavesNothingWhateverItsRetention() {
    Claim kept = claim(o -> o.retention(Duration.ofHours(1)));

    assertThat(new Settlement.Complete(kept, Payload.absent()).leavesNothing()).isFalse();
    assertThat(new Settlement.Drop(kept).leavesNothing()).isTrue();
  }

  private static Settlement complete(UnaryOperator<TaskOptions.Builder> options) {
    return new Settlement.Complete(claim(options), Payload.absent());
  }

  private static Claim claim(UnaryOperator<TaskOptions.Builder> options) {
    NewTask task =
        NewTask.of(
            Task.of("any"),
            TaskOptions.of(o -> options.apply(o.id("a"))),
            Instant.ofEpochSecond(0));
    return new Claim(task.message(), "123456-x", Instant.ofEpochSecond(15));
  }
}
