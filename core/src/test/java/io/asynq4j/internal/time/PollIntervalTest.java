package io.asynq4j.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PollIntervalTest {

  @Test
  void growsByHalfUpToTheLongest() {
    assertThat(
            Stream.iterate(
                    PollInterval.startingAt(Duration.ofMillis(200)),
                    interval -> interval.next(PollInterval.LONGEST))
                .limit(5)
                .map(interval -> Duration.ofNanos(interval.nanos()).toMillis()))
        .containsExactlyElementsOf(LongStream.of(200, 300, 450, 500, 500).boxed().toList());
  }

  @Test
  void growsUpToAnotherLongestThatItsUserGives() {
    PollInterval interval = PollInterval.startingAt(Duration.ofMillis(400));

    assertThat(interval.next(Duration.ofSeconds(1)).nanos())
        .isEqualTo(Duration.ofMillis(600).toNanos());
  }
}
