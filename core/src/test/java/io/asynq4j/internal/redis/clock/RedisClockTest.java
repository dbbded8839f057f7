package io.asynq4j.internal.redis.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RedisClockTest {

  private static final QueueName Q = QueueName.of("q");
  private static final QueueName OTHER = QueueName.of("other");
  private static final Duration LATELY = Duration.ofSeconds(30);
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final AtomicLong timer = new AtomicLong(-5);
  private final RedisClock clock = new RedisClock(timer::get, NOON);

  private void pass(Duration time) {
    timer.addAndGet(time.toNanos());
  }

  /** A reply with this time, which took this long. */
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
  void timeThatHasPassedIsMeasuredByTheTimerWhateverTheClockDoes() {
    pass(Duration.ofSeconds(10));
    Instant before = clock.instant();
    pass(Duration.ofSeconds(5));
    answer(NOON.plusSeconds(75), Duration.ZERO);
    Instant after = clock.instant();
    pass(Duration.ofSeconds(7));

    assertThat(clock.elapsedSince(before))
        .isEqualTo(new ElapsedBounds(Duration.ofSeconds(12), Duration.ofSeconds(12)));
    assertThat(clock.elapsedSince(after))
        .isEqualTo(new ElapsedBounds(Duration.ofSeconds(7), Duration.ofSeconds(7)));
  }

  @Test
  void whatAnotherProcessShowsWhileItHasNotNoticedAStepYetIsBeforeTheStep() {
    pass(Duration.ofSeconds(10));
    answer(NOON.plusSeconds(70), Duration.ZERO);

    Instant ofOneThatIsSlower = NOON.plusSeconds(14);
    Instant ofOneThatWasQuicker = NOON.plusSeconds(66);
    pass(Duration.ofSeconds(20));

    assertThat(clock.elapsedSince(ofOneThatIsSlower).most()).isEqualTo(Duration.ofSeconds(16));
    assertThat(clock.elapsedSince(ofOneThatWasQuicker).most()).isEqualTo(Duration.ofSeconds(24));
  }

  @Test
  void noMoreIsCertainToHavePassedThanThisProcessHasSeen() {
    pass(Duration.ofSeconds(3));
    clock.start(NOON, timer.get(), timer.get());
    pass(Duration.ofSeconds(8));

    assertThat(clock.elapsedSince(NOON.minusSeconds(600)))
        .isEqualTo(new ElapsedBounds(Duration.ofSeconds(8), Duration.ofSeconds(608)));
  }

  @Test
  void aClockThatStepsAgainAndAgainIsNoReasonToKeepAllOfIt() {
    for (int i = 1; i <= 65; i++) {
      pass(Duration.ofSeconds(1));
      answer(NOON.plusSeconds(100L * i), Duration.ZERO);
    }
    pass(Duration.ofSeconds(5));

    assertThat(clock.elapsedSince(NOON).least()).isEqualTo(Duration.ofSeconds(5));
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
  void doesNotStepBackForACallerThatReadBetweenAReplyAndItsUse() {
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

  @Test
  void aClockStepOfRedisIsRememberedForAWhileByAllCallers() {
    clock.look("a", NOON, timer.get(), timer.get());
    pass(Duration.ofSeconds(1));
    assertThat(hasStepped("a", Q, NOON.plusSeconds(3))).as("not more than clocks drift").isFalse();
    pass(Duration.ofSeconds(1));
    clock.look("a", NOON.plusSeconds(60), timer.get(), timer.get());

    assertThat(hasStepped("a", OTHER, NOON.plusSeconds(60))).as("found by the look").isTrue();
    pass(LATELY.minusSeconds(1));
    assertThat(hasStepped("a", OTHER, NOON.plusSeconds(89))).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(hasStepped("a", OTHER, NOON.plusSeconds(90))).isFalse();
  }

  @Test
  void aServerThatIsAlwaysAheadOfTheOthersHasNotStepped() {
    clock.look("a", NOON, timer.get(), timer.get());
    for (int i = 0; i < 5; i++) {
      assertThat(hasStepped("ahead", Q, NOON.plusSeconds(60 + i))).isFalse();
      assertThat(hasStepped("a", OTHER, NOON.plusSeconds(i))).isFalse();
      pass(Duration.ofSeconds(1));
    }

    assertThat(hasStepped("ahead", Q, NOON.plusSeconds(90))).as("now it has").isTrue();
    assertThat(hasStepped("a", OTHER, NOON.plusSeconds(5))).as("and no other").isFalse();
  }

  @Test
  void aQueueThatGetsToAServerThatIsAheadHasStepped() {
    assertThat(hasStepped("a", Q, NOON)).isFalse();
    assertThat(hasStepped("ahead", OTHER, NOON.plusSeconds(60))).isFalse();

    assertThat(hasStepped("ahead", Q, NOON.plusSeconds(60))).isTrue();

    assertThat(hasStepped("ahead", OTHER, NOON.plusSeconds(60))).isFalse();
  }

  @Test
  void aSlowAnswerIsNoStep() {
    long sent = timer.get();
    pass(Duration.ofSeconds(10));
    assertThat(clock.hasStepped("a", Q, NOON, sent, LATELY)).isFalse();

    assertThat(hasStepped("a", Q, NOON.plusSeconds(10))).isFalse();
  }

  private boolean hasStepped(String shard, QueueName queue, Instant now) {
    return clock.hasStepped(shard, queue, now, timer.get(), LATELY);
  }
}
