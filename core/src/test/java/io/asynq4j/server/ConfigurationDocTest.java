package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.QueueSettings;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/reference/configuration.md matches the code. */
@TestInstance(Lifecycle.PER_CLASS)
class ConfigurationDocTest {

  private static final Path PAGE = Path.of("../docs/reference/configuration.md");
  private static final Pattern ROW = Pattern.compile("\\| (`[^|]+`) \\| ([^|]*) \\| ([^|]*)\\| .*");
  private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");
  private static final Pattern TIME = Pattern.compile("([\\d.]+) (s|min|h|d)");

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://localhost:1"));

  @AfterAll
  void close() {
    redis.close();
  }

  private record Row(String defaultValue, String bounds) {}

  private static Map<String, Row> rows() {
    Map<String, Row> rows = new LinkedHashMap<>();
    try {
      for (String line : Files.readAllLines(PAGE)) {
        Matcher row = ROW.matcher(line);
        if (row.matches()) {
          Matcher name = NAME.matcher(row.group(1));
          while (name.find()) {
            rows.put(name.group(1), new Row(row.group(2).strip(), row.group(3).strip()));
          }
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return rows;
  }

  /** The topics of a builder, by its method. */
  private static final Map<String, Class<?>> TOPICS =
      Map.of(
          "queue", QueueSettings.class,
          "queues", ServerSettings.Queues.class,
          "archive", ArchiveSettings.class,
          "groups", ServerSettings.Groups.class,
          "timing", ServerSettings.Timing.class,
          "crashes", ServerSettings.Crashes.class,
          "failures", ServerSettings.Failures.class);

  @Test
  void everySettingHasItsLineAndEveryLineItsSetting() {
    Set<String> settings = new TreeSet<>(settersOf(TaskServerBuilder.class));
    TOPICS.forEach(
        (topic, type) -> settersOf(type).forEach(name -> settings.add(topic + "." + name)));
    // A topic has a line only for its settings; a queue also for itself, with its weight.
    settings.removeAll(
        Set.of("queues", "archive", "groups", "timing", "crashes", "failures", "queue.weight"));

    assertThat(new TreeSet<>(rows().keySet())).isEqualTo(settings);
  }

  @Test
  void tenSettingsAreNotGrouped() {
    Set<String> ungrouped = settersOf(TaskServerBuilder.class);
    ungrouped.removeAll(TOPICS.keySet());
    ungrouped.add("queue");

    assertThat(ungrouped).hasSize(10);
  }

  private static Set<String> settersOf(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.getReturnType() == type)
        .map(Method::getName)
        .collect(Collectors.toSet());
  }

  private static Class<?> typeOf(String setting) {
    int dot = setting.indexOf('.');
    return dot < 0
        ? TaskServerBuilder.class
        : Objects.requireNonNull(TOPICS.get(setting.substring(0, dot)), setting);
  }

  private static String nameOf(String setting) {
    return setting.substring(setting.indexOf('.') + 1);
  }

  static Stream<String> durations() {
    return rows().keySet().stream().filter(name -> hasParameter(name, Duration.class));
  }

  static Stream<String> numbers() {
    return rows().keySet().stream().filter(name -> hasParameter(name, int.class));
  }

  private static boolean hasParameter(String setting, Class<?> type) {
    return Arrays.stream(typeOf(setting).getMethods())
        .anyMatch(
            method ->
                method.getName().equals(nameOf(setting))
                    && List.of(method.getParameterTypes()).equals(List.of(type)));
  }

  @ParameterizedTest
  @MethodSource("durations")
  void theDefaultOfATimeIsTheOneOfTheCode(String setting) throws Exception {
    Row row = row(setting);

    Duration expected =
        row.defaultValue().equals("no limit") ? Duration.ZERO : time(row.defaultValue());
    assertThat(field(setting)).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void theDefaultOfANumberIsTheOneOfTheCode(String setting) throws Exception {
    String text = row(setting).defaultValue();

    int expected =
        switch (text) {
          case "no limit" -> 0;
          case "the number of processors" -> Runtime.getRuntime().availableProcessors();
          default -> number(text);
        };
    assertThat(field(setting)).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("durations")
  void theBoundsOfATimeAreThoseOfTheCode(String setting) {
    String bounds = row(setting).bounds();
    if (bounds.equals("above 0")) {
      assertRefused(setting, Duration.ZERO);
      return;
    }
    String[] ends = bounds.split(" to ", -1);
    Duration least = time(ends[0]);
    assertTaken(setting, least);
    if (!least.isZero()) {
      assertRefused(setting, least.minusMillis(1));
    }
    assertRefused(setting, Duration.ofMillis(-1));
    if (ends.length == 2) {
      Duration most = ends[1].equals("half the lease") ? Duration.ofMillis(7_500) : time(ends[1]);
      assertTaken(setting, most);
      assertRefused(setting, most.plusMillis(1));
    }
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void theBoundsOfANumberAreThoseOfTheCode(String setting) {
    String[] ends = row(setting).bounds().split(" to ", -1);
    int least = number(ends[0]);
    assertTaken(setting, least);
    assertRefused(setting, least - 1);
    if (ends.length == 2) {
      assertTaken(setting, number(ends[1]));
      assertRefused(setting, number(ends[1]) + 1);
    }
  }

  private static Row row(String setting) {
    return rows().getOrDefault(setting, new Row("", ""));
  }

  private void assertTaken(String setting, Object value) {
    assertThatCode(() -> build(setting, value))
        .as(setting + " " + value)
        .doesNotThrowAnyException();
  }

  private void assertRefused(String setting, Object value) {
    assertThatIllegalArgumentException()
        .as(setting + " " + value)
        .isThrownBy(() -> build(setting, value));
  }

  private void build(String setting, Object value) throws Exception {
    TaskServerBuilder builder = builder();
    Class<?> type = value instanceof Integer ? int.class : Duration.class;
    try {
      Method setter = typeOf(setting).getMethod(nameOf(setting), type);
      switch (setting.replaceAll("\\..*", "")) {
        case "queue" -> builder.queue("default", each -> set(each, setter, value));
        case "archive" -> builder.archive(each -> set(each, setter, value));
        case "groups" -> builder.groups(each -> set(each, setter, value));
        case "timing" -> builder.timing(each -> set(each, setter, value));
        case "crashes" -> builder.crashes(each -> set(each, setter, value));
        case "failures" -> builder.failures(each -> set(each, setter, value));
        default -> setter.invoke(builder, value);
      }
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
    builder.build();
  }

  @SuppressWarnings("unchecked") // A setter returns the object it is called on.
  private static <T> T set(T settings, Method setter, Object value) {
    try {
      return (T) setter.invoke(settings, value);
    } catch (InvocationTargetException e) {
      throw (RuntimeException) e.getCause();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private TaskServerBuilder builder() {
    // A lease and a heartbeat that leave room for the bounds of each other.
    return TaskServer.builder(redis)
        .timing(timing -> timing.heartbeat(Duration.ofMillis(1_500)))
        .groups(
            groups ->
                groups.aggregator(
                    (queue, group, tasks) -> GroupAggregator.Aggregated.of(tasks.get(0))))
        .handlers((task, context) -> Outcome.done());
  }

  /** What a builder has before it is set: by its field, or for a heartbeat by its rule. */
  private Object field(String setting) throws ReflectiveOperationException {
    Class<?> type = typeOf(setting);
    Object settings =
        type == TaskServerBuilder.class
            ? TaskServer.builder(redis)
            : type.getDeclaredConstructor().newInstance();
    if (setting.equals("timing.heartbeat")) {
      return ((ServerSettings.Timing) settings).heartbeat();
    }
    Field field = type.getDeclaredField(nameOf(setting));
    field.setAccessible(true);
    return field.get(settings);
  }

  private static int number(String text) {
    return Integer.parseInt(digits(text));
  }

  private static String digits(String text) {
    Matcher digits = Pattern.compile("^[\\d,]+").matcher(text);
    return digits.find() ? digits.group().replace(",", "") : "-1";
  }

  private static Duration time(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.find()) {
      throw new IllegalArgumentException("not a time: " + text);
    }
    long millis = Math.round(Double.parseDouble(time.group(1)) * 1_000);
    return Duration.ofMillis(
        switch (time.group(2)) {
          case "s" -> millis;
          case "min" -> millis * 60;
          case "h" -> millis * 3_600;
          default -> millis * 86_400;
        });
  }
}
