package io.asynq4j.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.RetryPolicy;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Duration;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArgumentValidatorTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));

  @AfterEach
  void close() {
    redis.close();
  }

  private void assertRejected(UnaryOperator<TaskServerBuilder> setting) {
    assertThatThrownBy(
            () ->
                TaskServerAccess.config(
                    setting.apply(
                        TaskServer.builder(redis).handlers((task, context) -> Outcome.done()))))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void aMissingDurationIsRejectedWhereItIsPassed() {
    Duration missing = null;

    assertThatThrownBy(() -> RetryPolicy.fixed(missing)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> Outcome.snooze(missing)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> DoctorOptions.dryRun().lookAgainAfter(missing).build())
        .isInstanceOf(NullPointerException.class);
    assertRejected(server -> server.crashes(c -> c.delay(missing)));
    assertRejected(server -> server.crashes(c -> c.goGrace(missing)));
    assertRejected(server -> server.groups(g -> g.maxDelay(missing)));
    assertRejected(server -> server.groups(g -> g.grace(missing)));
  }

  @Test
  void aNumberIsPrintedAlikeInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      assertThatThrownBy(() -> ArgumentValidator.requireBetween(1, 1_000, 2_000, "concurrency"))
          .hasMessage("concurrency must be 1 to 1,000, got 2,000");
    } finally {
      Locale.setDefault(before);
    }
    assertThat(Outcome.retry("busy")).isEqualTo(new Outcome.Retry("busy", null));
  }
}
