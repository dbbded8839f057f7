package io.asynq4j.service.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueueAvailabilityTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private final List<String> events = new CopyOnWriteArrayList<>();
  private final QueueAvailability availability =
      new QueueAvailability(
          Clock.fixed(NOON, ZoneOffset.UTC),
          new QueueAvailability.Listener() {
            @Override
            public void changed(Set<String> queues) {
              events.addAll(queues);
            }

            @Override
            public void allChanged() {
              events.add("all");
            }
          });

  @AfterEach
  void close() {
    availability.close();
  }

  @Test
  void anEmptyQueueMayHaveTasksAgainAfterAChange() {
    availability.emptySince(availability.versions(List.of("mail")));
    assertThat(availability.mayHaveTasks("mail")).isFalse();
    assertThat(availability.empty()).containsExactly("mail");

    availability.changed(Set.of("mail"));

    assertThat(availability.mayHaveTasks("mail")).isTrue();
    assertThat(events).containsExactly("mail");
  }

  @Test
  void aResultThatIsOlderThanAChangeDoesNotMakeAQueueEmptyOrUnavailable() {
    Map<String, Long> versions = availability.versions(List.of("mail"));
    long version = availability.version("mail");
    availability.enqueued("mail");

    availability.emptySince(versions);
    availability.unavailableSince("mail", version);

    assertThat(availability.mayHaveTasks("mail")).isTrue();
    assertThat(events).isEmpty();
  }

  @Test
  void aSuspendedQueueReportsNoChangeUntilItIsResumed() {
    availability.suspend(Set.of("mail"));
    availability.suspend(Set.of("mail"));
    availability.changed(Set.of("mail"));
    availability.resume(Set.of("mail"));
    assertThat(events).isEmpty();
    assertThat(availability.isInaccessible("mail")).isTrue();

    availability.resume(Set.of("mail"));

    assertThat(events).containsExactly("mail");
    assertThat(availability.mayHaveTasks("mail")).isTrue();
  }

  @Test
  void theEarliestOfSeveralTimesCounts() {
    availability.changedAt("mail", NOON.plus(Duration.ofHours(1)));

    availability.unavailableFor("mail", Duration.ofMillis(1));

    await().until(() -> events.contains("mail"));
    assertThat(availability.mayHaveTasks("mail")).isTrue();
  }

  @Test
  void tasksInAQueueThatWasConsideredEmptyAreReportedOnceTheyCouldBeClaimed() {
    availability.emptySince(availability.versions(List.of("lost", "paused")));
    assertThat(availability.suspect("lost")).isTrue();
    assertThat(availability.suspect("paused")).isTrue();
    assertThat(availability.suspect("other")).isFalse();

    availability.claimed("lost", /* hadTasks= */ true);
    availability.claimed("paused", /* hadTasks= */ false);

    assertThat(events).containsExactly("lost");
  }

  @Test
  void afterALostConnectionAllQueuesMayHaveTasks() {
    availability.emptySince(availability.versions(List.of("mail")));
    availability.unavailableSince("post", availability.version("post"));

    availability.allChanged();

    assertThat(availability.mayHaveTasks("mail")).isTrue();
    assertThat(availability.mayHaveTasks("post")).isTrue();
    assertThat(events).containsExactly("all");
  }
}
