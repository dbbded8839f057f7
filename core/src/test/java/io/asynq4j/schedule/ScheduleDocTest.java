package io.asynq4j.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.TaskType;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The settings in docs/guides/schedules.md are those of the code. */
class ScheduleDocTest {

  private static final Path PAGE = Path.of("../docs/guides/schedules.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `(\\w+)` \\| (\\d+) (\\w+) \\| (\\d+) (\\w+) to (\\d+) (\\w+) \\| .*");

  private static final TaskType<Void> DIGEST = TaskType.of("digest");
  private static final TaskType<Void> INVOICES = TaskType.of("invoices");

  private static Scheduler example(RedisConnection redis) {
    // example
    Scheduler scheduler =
        Scheduler.builder(redis)
            .add("nightly-digest", Schedule.cron("0 3 * * *", ZoneId.of("Europe/Oslo")), DIGEST)
            .add(
                ScheduleEntry.of("invoices", Schedule.cron("0 6 1 * *"), INVOICES)
                    .with(o -> o.queue("billing"))
                    .missed(MissedPolicy.runOnce()))
            .build();
    // end
    return scheduler;
  }

  @Test
  void theExampleIsThisOne() throws IOException {
    try (RedisConnection redis = RedisConnection.lazy(RedisConfig.parse("redis://localhost:1"))) {
      assertThat(example(redis).entries()).hasSize(2);
    }
    Path source =
        Path.of("src/test/java", ScheduleDocTest.class.getName().replace('.', '/') + ".java");
    List<String> lines = Files.readAllLines(source);
    String code =
        String.join(
            "", lines.subList(lines.indexOf("    // example") + 1, lines.indexOf("    // end")));

    assertThat(squeezed(Files.readString(PAGE))).contains(squeezed(code));
  }

  private static String squeezed(String text) {
    return text.replaceAll("\\s", "");
  }

  private record Row(Duration defaultValue, Duration least, Duration most) {}

  private static Map<String, Row> rows() {
    Map<String, Row> rows = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(PAGE)) {
        Matcher row = ROW.matcher(line);
        if (row.matches()) {
          rows.put(
              row.group(1),
              new Row(
                  time(row.group(2), row.group(3)),
                  time(row.group(4), row.group(5)),
                  time(row.group(6), row.group(7))));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return rows;
  }

  private static Duration time(String number, String unit) {
    return Duration.ofSeconds(
        Long.parseLong(number)
            * switch (unit) {
              case "s" -> 1;
              case "min" -> 60;
              case "h" -> 3_600;
              default -> 86_400;
            });
  }

  static Stream<String> settings() {
    return rows().keySet().stream();
  }

  @Test
  void everyTimeThatCanBeSetHasItsLine() {
    assertThat(rows().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Scheduler.Builder.class.getMethods())
                .filter(method -> Arrays.equals(method.getParameterTypes(), duration()))
                .map(java.lang.reflect.Method::getName)
                .toList());
  }

  private static Class<?>[] duration() {
    return new Class<?>[] {Duration.class};
  }

  @ParameterizedTest
  @MethodSource("settings")
  void theTableShowsWhatTheCodeDoes(String setting) throws Exception {
    Row row = rows().getOrDefault(setting, new Row(Duration.ZERO, Duration.ZERO, Duration.ZERO));
    Field field = Scheduler.Builder.class.getDeclaredField(setting);
    field.setAccessible(true);

    try (RedisConnection redis = RedisConnection.lazy(RedisConfig.parse("redis://localhost:1"))) {
      assertThat(field.get(Scheduler.builder(redis))).isEqualTo(row.defaultValue());
      assertThatCode(() -> build(redis, setting, row.least())).doesNotThrowAnyException();
      assertThatCode(() -> build(redis, setting, row.most())).doesNotThrowAnyException();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> build(redis, setting, row.least().minusMillis(1)))
          .withMessageContaining(setting);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> build(redis, setting, row.most().plusMillis(1)))
          .withMessageContaining(setting);
    }
  }

  private static void build(RedisConnection redis, String setting, Duration value)
      throws Exception {
    Scheduler.Builder builder = Scheduler.builder(redis);
    try {
      Scheduler.Builder.class.getMethod(setting, Duration.class).invoke(builder, value);
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
    builder.build();
  }
}
