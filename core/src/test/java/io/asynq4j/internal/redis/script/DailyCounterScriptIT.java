package io.asynq4j.internal.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.redis.command.ReplyParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** The date by which scripts name the counters of a day. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DailyCounterScriptIT {

  private static final long SECONDS_PER_DAY = 86_400;

  private TestRedis server;
  private Connection connection;

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
    connection = TestRedis.connect(server.primaries().get(0));
  }

  @AfterAll
  void stopServer() {
    connection.close();
    server.close();
  }

  @Test
  void everyDayFrom1970To2200HasTheDateOfTheCalendar() {
    LocalDate first = LocalDate.EPOCH;
    LocalDate end = LocalDate.of(2201, 1, 1);

    List<String> calendar =
        first
            .datesUntil(end)
            .flatMap(day -> List.of(day, day).stream())
            .map(Object::toString)
            .toList();

    assertThat(daysByScript(first.toEpochDay(), end.toEpochDay())).isEqualTo(calendar);
  }

  @Test
  void aDayBeginsAtMidnightUtc() {
    assertThat(dayOf(1704067199)).isEqualTo("2023-12-31");
    assertThat(dayOf(1704067200)).isEqualTo("2024-01-01");
  }

  @Test
  void leapDaysAreThereWhenTheCalendarHasThem() {
    assertThat(dayOf(secondsOf(2024, 2, 29))).isEqualTo("2024-02-29");
    assertThat(dayOf(secondsOf(2000, 2, 29))).isEqualTo("2000-02-29");
    assertThat(dayOf(secondsOf(2100, 2, 28) + SECONDS_PER_DAY)).isEqualTo("2100-03-01");
  }

  @Test
  void aCounterOfADayIsKeptFor90DaysFromItsFirstIncrement() {
    long first = 4_100_000_000L;
    String body =
        """
        local second = tonumber(ARGV[1])
        count('q:', second, 1, 0)
        count('q:', second + 60, 2, 0)
        local day = 'q:processed:' .. utc_day(second)
        return { redis.call('GET', day), tostring(redis.call('EXPIRETIME', day)) }
        """;

    assertThat(texts(eval(body, first))).containsExactly("3", Long.toString(first + 7_776_000));
  }

  private static long secondsOf(int year, int month, int day) {
    return LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY;
  }

  private String dayOf(long second) {
    return texts(eval("return { utc_day(tonumber(ARGV[1])) }", second)).get(0);
  }

  /** The dates of the first and of the last second of each day. */
  private List<String> daysByScript(long from, long to) {
    return texts(
        eval(
            """
            local days = {}
            for day = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
              days[#days + 1] = utc_day(day * 86400)
              days[#days + 1] = utc_day(day * 86400 + 86399)
            end
            return days
            """,
            from,
            to));
  }

  private Object eval(String body, long... args) {
    CommandArguments command = new CommandArguments(Command.EVAL).add(prelude() + body).add("0");
    for (long arg : args) {
      command.add(Long.toString(arg));
    }
    return connection.executeCommand(command);
  }

  private static List<String> texts(Object reply) {
    List<String> texts = new ArrayList<>();
    for (Object each : ReplyParser.list(reply)) {
      texts.add(ReplyParser.text(each));
    }
    return texts;
  }

  private static String prelude() {
    try (InputStream file =
        Objects.requireNonNull(DailyCounterScriptIT.class.getResourceAsStream("lua/prelude.lua"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
