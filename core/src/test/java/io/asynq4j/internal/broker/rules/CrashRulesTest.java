package io.asynq4j.internal.broker.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a task whose worker crashed. */
class CrashRulesTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final CrashRules rules = new CrashRules(4, MINUTE, Duration.ZERO);

  @Test
  void aTaskIsPendingAtFirstThenRetriedThenArchived() {
    assertThat(rules.after(1)).isEqualTo(Recovery.PENDING);
    assertThat(rules.after(2)).isEqualTo(Recovery.RETRY);
    assertThat(rules.after(3)).isEqualTo(Recovery.RETRY);
    assertThat(rules.after(4)).isEqualTo(Recovery.ARCHIVE);
    assertThat(rules.after(100)).isEqualTo(Recovery.ARCHIVE);
    assertThat(new CrashRules(1, MINUTE, Duration.ZERO).after(1)).isEqualTo(Recovery.ARCHIVE);
  }

  @Test
  void theDelayDoublesWithEachFurtherCrashUpToALimit() {
    assertThat(rules.delayAfter(1)).isZero();
    assertThat(rules.delayAfter(2)).isEqualTo(MINUTE);
    assertThat(rules.delayAfter(3)).isEqualTo(MINUTE.multipliedBy(2));
    assertThat(rules.delayAfter(5)).isEqualTo(MINUTE.multipliedBy(8));
    assertThat(rules.delayAfter(18)).isEqualTo(rules.delayAfter(1_000));
  }

  @Test
  void invalidLimitsAreNamedAsInTheBuilder() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CrashRules(0, MINUTE, MINUTE))
        .withMessage("crashes.max must be 1 or greater, got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CrashRules(1, MINUTE.negated(), MINUTE))
        .withMessage("crashes.delay must not be negative, got PT-1M");
  }
}
