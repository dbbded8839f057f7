package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RedisClockTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final AtomicLong timer = new AtomicLong(-5);
  private final RedisClock clock = new RedisClock(timer::get, NOON);

  private void pass(Duration time) {
    timer.addAndGet(time.toNanos());
  }

  /** An answer that took so long and says this. */
  private void answer(Instant redis, Duration roundTrip) {
    long sent = timer.get();
    pass(roundTrip);
    clock.follow(redis, sent, timer.get());
  }

  @Test
  void carriesOnByItself() {
    pass(Duration.ofSeconds(90));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(90));
  }

  @Test
  void startsWhereRedisIsEvenIfThatIsBack() {
    assertThat(clock.instant()).isEqualTo(NOON);

    clock.start(NOON.minusSeconds(300), timer.get(), timer.get());

    assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(300));
  }

  @Test
  void stepsForwardWhenRedisIsAhead() {
    answer(NOON.plusSeconds(60), Duration.ofMillis(2));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(60).plusMillis(1));
  }

  @Test
  void neverStepsBackAndRunsAtHalfTheSpeedUntilRedisHasCaughtUp() {
    answer(NOON.minusSeconds(10), Duration.ZERO);
    assertThat(clock.instant()).isEqualTo(NOON);

    pass(Duration.ofSeconds(8));
    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(4));

    pass(Duration.ofSeconds(12));
    assertThat(clock.instant()).as("caught up").isEqualTo(NOON.plusSeconds(10));

    pass(Duration.ofSeconds(5));
    assertThat(clock.instant()).as("at full speed again").isEqualTo(NOON.plusSeconds(15));
  }

  @Test
  void aSlowAnswerThatAgreesChangesNothing() {
    answer(NOON.plusMillis(100), Duration.ofSeconds(2));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(2));
  }

  @Test
  void aSlowAnswerThatCannotBeTrueOfThisClockMovesIt() {
    answer(NOON.plusSeconds(60), Duration.ofSeconds(2));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(61));
  }

  @Test
  void doesNotStepBackForSomebodyWhoLookedBetweenAnAnswerAndItsUse() {
    long sent = timer.get();
    pass(Duration.ofSeconds(1));
    Instant shown = clock.instant();

    clock.follow(NOON.minusSeconds(10), sent, sent);

    assertThat(clock.instant()).isEqualTo(shown);
  }

  @Test
  void isTheSameTimeInAnyZone() {
    assertThat(clock.withZone(ZoneId.of("Asia/Tokyo")).instant()).isEqualTo(clock.instant());
    assertThat(clock.forScripts()).isEmpty();
  }
}
