package io.asynq4j.internal.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DefinitionCacheTest {

  private static final TaskDefinition MAIL =
      TaskDefinition.builder("mail", TaskKind.WORKER)
          .queue("post")
          .maxRun(3)
          .rate(RateLimit.parse("5/s"))
          .build();

  private final AtomicLong nanos = new AtomicLong();
  private Supplier<Map<String, TaskDefinition>> source = Map::of;
  private final List<DefinitionSnapshot> derived = new ArrayList<>();
  private final DefinitionCache<DefinitionSnapshot> cache =
      new DefinitionCache<>(
          () -> source.get(),
          snapshot -> {
            derived.add(snapshot);
            return snapshot;
          },
          nanos::get);

  @Test
  void onlyAChangeIsReportedAndDerivedFrom() {
    assertThat(cache.refresh()).isFalse();
    source = () -> Map.of("mail", MAIL);
    assertThat(cache.refresh()).isTrue();
    source = () -> Map.of("mail", MAIL.toBuilder().build());
    assertThat(cache.refresh()).isFalse();
    assertThat(derived).hasSize(2);
    source = () -> Map.of("mail", MAIL.toBuilder().weight(2).build());
    assertThat(cache.refresh()).isTrue();
    assertThat(derived).hasSize(3).last().isSameAs(cache.current());
  }

  @Test
  void definitionsAreFoundByNameAndByQueue() {
    source = () -> Map.of("mail", MAIL);
    cache.refresh();
    assertThat(cache.current().find("mail")).contains(MAIL);
    assertThat(cache.current().find("post")).isEmpty();
    assertThat(cache.current().ofQueue("post")).contains(MAIL);
    assertThat(cache.current().ofQueue("no queue: \n")).isEmpty();
    assertThat(cache.current().rulesOf(QueueName.of("post")))
        .isEqualTo(new QueueRules(3, false, RateLimit.parse("5/s")));
    assertThat(cache.current().rulesOf(QueueName.of("mail"))).isEqualTo(QueueRules.NONE);
  }

  @Test
  void aReadThatBeganLaterWins() {
    source =
        () -> {
          // While this read waits for its answer, another one begins and ends.
          source = () -> Map.of("mail", MAIL);
          nanos.addAndGet(1);
          assertThat(cache.refresh()).isTrue();
          return Map.of();
        };
    assertThat(cache.refresh()).isFalse();
    assertThat(cache.current().find("mail")).isPresent();
  }

  @Test
  void theAgeCountsFromTheBeginOfTheLastRead() {
    Duration second = Duration.ofSeconds(1);
    assertThat(cache.isRead()).isFalse();
    assertThat(cache.isOlderThan(second)).isTrue();
    source =
        () -> {
          nanos.addAndGet(second.toNanos());
          return Map.of();
        };
    cache.refresh();
    assertThat(cache.isRead()).isTrue();
    assertThat(cache.isOlderThan(second)).isFalse();
    nanos.addAndGet(1);
    assertThat(cache.isOlderThan(second)).isTrue();
  }

  @Test
  void aFailedReadChangesNothing() {
    source = () -> Map.of("mail", MAIL);
    cache.refresh();
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    source =
        () -> {
          throw new IllegalStateException("no Redis");
        };
    assertThatThrownBy(cache::refresh).hasMessage("no Redis");
    assertThat(cache.current().find("mail")).isPresent();
    assertThat(cache.isOlderThan(Duration.ofSeconds(1))).isTrue();
  }
}
