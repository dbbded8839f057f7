package io.asynq4j.dashboard.internal.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryParserTest {

  private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");

  /** Two hours archived. */
  private static final TaskInfo TASK =
      TaskInfo.builder("abc-1", QueueName.of("mail"), "email:welcome")
          .payload(
              Payload.ofUtf8(
                  "{\"user\":{\"id\":42,\"mails\":[\"a@b.c\"]},\"text\":\"hello world\"}"))
          .headers(Map.of("trace", "t1"))
          .state(TaskState.ARCHIVED)
          .maxRetry(5)
          .retried(3)
          .lastError("dial tcp 10.0.0.7:5432: Connection refused")
          .lastFailedAt(NOW.minus(Duration.ofHours(2)))
          .timeout(Duration.ofMinutes(1))
          .group("g 1")
          .since(NOW.minus(Duration.ofHours(2)))
          .build();

  private static boolean wants(String query) {
    Query parsed = QueryParser.parse(query);
    return parsed.matchesQueue("mail")
        && parsed.states().contains(TaskState.ARCHIVED)
        && parsed.filter().matches(TASK, NOW);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "type:email:*",
        "type:email:welcome state:archived error:\"refused\"",
        "state:retry,archived",
        "-state:active",
        "queue:ma*",
        "-queue:report",
        "id:abc",
        "group:\"g 1\"",
        "error:CONNECTION",
        "payload:\"hello world\"",
        "payload.user.id=42",
        "payload.user.mails[0]=a@b.c",
        "-payload.user.id=43",
        "has:payload.user",
        "has:error",
        "-has:result",
        "header.trace=t1",
        "has:header.trace",
        "retried>=3",
        "retried<=3",
        "retried>2",
        "retried:3",
        "age>1h",
        "age<1d",
        "refused",
        "\"email:welcome\"",
        "  type:*  welcome  "
      })
  void matchesWhatTheQueryDescribes(String query) {
    assertThat(wants(query)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "type:sms:*",
        "-type:email:*",
        "state:retry",
        "-state:archived",
        "queue:report",
        "-queue:mail",
        "id:bc",
        "group:g",
        "error:timeout",
        "payload:goodbye",
        "payload.user.id=43",
        "payload.user.id=4",
        "has:payload.nobody",
        "header.trace=t2",
        "retried>3",
        "retried<3",
        "age>3h",
        "age<1h",
        "goodbye",
        "fingerprint:000000000000",
        "type:email:* error:timeout"
      })
  void leavesOutWhatDoesNot(String query) {
    assertThat(wants(query)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tpye:x",
        "state:dead",
        "age:1h",
        "age>soon",
        "retried>=many",
        "error>3",
        "\"open",
        "a\"b",
        "has:what",
        "payload.user.[=1"
      })
  void reportsInvalidTerms(String query) {
    assertThatThrownBy(() -> QueryParser.parse(query))
        .isInstanceOfAny(Problem.class, IllegalArgumentException.class)
        .satisfies(e -> assertThat(Problems.of((RuntimeException) e).status()).isEqualTo(422));
  }

  @Test
  void aFingerprintFindsItsTask() {
    assertThat(wants("fingerprint:" + FailureFingerprint.of(TASK))).isTrue();
  }

  @Test
  void detectsWhetherTheQueryContainsAState() {
    assertThat(QueryParser.parse("type:x").namesState()).isFalse();
    assertThat(QueryParser.parse("-state:active").namesState()).isFalse();
    assertThat(QueryParser.parse("state:retry").namesState()).isTrue();
  }

  @Test
  void errorsThatDifferInNumbersTimesAndNamesAreOne() {
    String one =
        FailureFingerprint.normalised(
            "2030-01-01T12:00:00Z user 42 \"anna\" of 6fa459ea-ee8a-3ca4-894e-db77e160355e: refused");
    String other =
        FailureFingerprint.normalised(
            "2031-12-31T23:59:59.123+01:00 user 7 \"bob\" of 16fd2706-8baf-433b-82eb-8c7fada847da: refused\n at x");

    assertThat(one).isEqualTo(other).isEqualTo("<time> user <n> <text> of <id>: refused");
    assertThat(FailureFingerprint.normalised("user 42: timeout")).isNotEqualTo(one);
  }

  @Test
  void digitsInTheNameOfAClassAreKept() {
    assertThat(FailureFingerprint.normalised("io.asynq4j.PayloadException: 1h30m5s, host7:80"))
        .isEqualTo("io.asynq4j.PayloadException: <n>h<n>m<n>s, host<n>:<n>");
    assertThat(FailureFingerprint.normalised("no answer of db3.shop.example within PT1M30S"))
        .isEqualTo("no answer of db<n>.shop.example within PT<n>M<n>S");
    assertThat(FailureFingerprint.normalised("cannot read /data/img_0001.JPG, scan17.PDF"))
        .isEqualTo("cannot read /data/img_<n>.JPG, scan<n>.PDF");
    assertThat(FailureFingerprint.normalised("user42.Smith@shop.example: img_0001.Jpg, a17.Please"))
        .isEqualTo("user<n>.Smith@shop.example: img_<n>.Jpg, a<n>.Please");
    assertThat(FailureFingerprint.normalised("com.shop2.Mailer$$Lambda$412/0x0000000800c03200"))
        .isEqualTo("com.shop2.Mailer$$Lambda$<n>/<hex>");
  }
}
