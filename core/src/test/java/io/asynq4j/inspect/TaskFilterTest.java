package io.asynq4j.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskFilterTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static TaskInfo task(Payload payload, @Nullable Instant since) {
    return TaskInfo.builder("order-17", QueueName.DEFAULT, "email:welcome")
        .payload(payload)
        .headers(Map.of("tenant", "acme"))
        .state(TaskState.ARCHIVED)
        .retried(3)
        .lastError("Connection timed out")
        .since(since)
        .build();
  }

  private static boolean matches(TaskFilter filter) {
    return filter.matches(
        task(
            Payload.ofUtf8(
                "{\"user\":{\"id\":42,\"vip\":true,\"nick\":null,\"mails\":[\"a@b.c\",\"d@e.f\"]},"
                    + "\"odd name\":\"x\",\"price\":1.50}"),
            NOW.minusSeconds(60)),
        NOW);
  }

  @ParameterizedTest
  @CsvSource({
    "email:welcome, true",
    "email:*, true",
    "*, true",
    "*:welcome, true",
    "e*l:w*e, true",
    "email, false",
    "email:, false",
    "email:welcom?, false",
    "Email:*, false"
  })
  void aTypeMayHaveStarsInIt(String glob, boolean matches) {
    assertThat(matches(TaskFilter.type(glob))).isEqualTo(matches);
  }

  @Test
  void anIdIsKnownByItsBeginning() {
    assertThat(matches(TaskFilter.idPrefix("order-"))).isTrue();
    assertThat(matches(TaskFilter.idPrefix("17"))).isFalse();
  }

  @Test
  void anErrorIsKnownByAnyPartOfItInUpperOrLowerCase() {
    assertThat(matches(TaskFilter.errorContains("TIMED"))).isTrue();
    assertThat(matches(TaskFilter.errorContains("t.med"))).isFalse();
  }

  @Test
  void aPayloadIsKnownByAnyPartOfIt() {
    assertThat(matches(TaskFilter.payloadContains("a@b.c"))).isTrue();
    assertThat(matches(TaskFilter.payloadContains("A@b.c"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "$.user.id, 42, true",
    "$.user.id, 42.0, true",
    "$.user.id, 43, false",
    "$.user.vip, true, true",
    "$.user.mails[1], d@e.f, true",
    "$.user.mails[2], d@e.f, false",
    "$[\"odd name\"], x, true",
    "$[\"user\"].id, 42, true",
    "$.price, 1.5, true",
    "$.user.id.more, 42, false",
    "$.user[0], 42, false",
    "$.nobody, 42, false"
  })
  void aPayloadIsKnownByAValueInItsJson(String path, String value, boolean matches) {
    assertThat(matches(TaskFilter.payloadAt(path, value))).isEqualTo(matches);
  }

  @Test
  void aPlaceInJsonThatIsNullIsNotThere() {
    assertThat(matches(TaskFilter.payloadHas("$.user.mails[0]"))).isTrue();
    assertThat(matches(TaskFilter.payloadHas("$"))).isTrue();
    assertThat(matches(TaskFilter.payloadHas("$.user.nick"))).isFalse();
  }

  @Test
  void aPayloadThatIsNoJsonHasNothingInIt() {
    TaskFilter filter = TaskFilter.payloadHas("$");

    assertThat(filter.matches(task(Payload.ofUtf8("{"), null), NOW)).isFalse();
    assertThat(filter.matches(task(Payload.ofUtf8("null"), null), NOW)).isFalse();
    assertThat(filter.matches(task(Payload.absent(), null), NOW)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "user", "$user", "$.", "$.a..b", "$.a[", "$.a[x]", "$.a[-1]", "$[a]"})
  void aPathThatIsNoneIsRefusedWithAnExample(String path) {
    assertThatThrownBy(() -> TaskFilter.payloadHas(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("$.user.mails[0]");
  }

  @Test
  void headersAreKnownByNameAndValue() {
    assertThat(matches(TaskFilter.header("tenant", "acme"))).isTrue();
    assertThat(matches(TaskFilter.header("tenant", "other"))).isFalse();
    assertThat(matches(TaskFilter.hasHeader("tenant"))).isTrue();
    assertThat(matches(TaskFilter.hasHeader("trace"))).isFalse();
  }

  @Test
  void anAgeIsTheTimeInItsState() {
    assertThat(matches(TaskFilter.olderThan(Duration.ofSeconds(59)))).isTrue();
    assertThat(matches(TaskFilter.olderThan(Duration.ofSeconds(61)))).isFalse();
    assertThat(matches(TaskFilter.youngerThan(Duration.ofSeconds(61)))).isTrue();
    assertThat(matches(TaskFilter.youngerThan(Duration.ofSeconds(59)))).isFalse();
    TaskInfo unknown = task(Payload.absent(), null);
    assertThat(TaskFilter.olderThan(Duration.ZERO).matches(unknown, NOW)).isFalse();
    assertThat(TaskFilter.youngerThan(Duration.ofDays(1)).matches(unknown, NOW)).isFalse();
  }

  @Test
  void retriesAreCounted() {
    assertThat(matches(TaskFilter.retriedAtLeast(3))).isTrue();
    assertThat(matches(TaskFilter.retriedAtLeast(4))).isFalse();
    assertThat(matches(TaskFilter.retriedAtMost(3))).isTrue();
    assertThat(matches(TaskFilter.retriedAtMost(2))).isFalse();
  }

  @Test
  void filtersAreCombined() {
    TaskFilter yes = TaskFilter.all();
    TaskFilter no = TaskFilter.of(task -> task.id().isEmpty());

    assertThat(matches(yes.and(no))).isFalse();
    assertThat(matches(yes.or(no))).isTrue();
    assertThat(matches(no.negate())).isTrue();
  }
}
