package io.asynq4j.internal.redis.golden;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.fixture.RedisTextDump;
import io.asynq4j.internal.redis.codec.wire.WireServer;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where what we leave in Redis differs from what the original leaves. Times are put into step: each
 * side's count from the second in which it started, here called T. The rest is compared byte for
 * byte, except for the order of map entries, which is free.
 */
final class GoldenComparison {

  private static final String NOTHING = "nothing";
  private static final Pattern TASK = Pattern.compile("asynq:\\{.+}:t:.+", Pattern.DOTALL);
  private static final Pattern DAY_COUNTER =
      Pattern.compile("(asynq:\\{.+}:(?:processed|failed)):\\d{4}-\\d\\d-\\d\\d");

  /** Where T is put in messages, so that it does not look like "never". */
  private static final long T_IN_MESSAGES = 1_000_000_000L;

  /** What lies so far from T is no time of the run. */
  private static final long LONGEST_RUN = Duration.ofDays(365).toSeconds();

  private GoldenComparison() {}

  /** One leaf of a value: what it is exactly, and how it is shown. */
  private record Fact(String exact, String shown) {
    static Fact of(String type, String text) {
      return new Fact(type + " " + text, text);
    }
  }

  /** The facts of one side. */
  private static final class Side {
    final SortedMap<String, Fact> facts = new TreeMap<>();
    final SortedMap<String, Long> ttls = new TreeMap<>();
    private final RedisSnapshot snapshot;
    private final long start;

    Side(RedisSnapshot snapshot, long start) {
      this.snapshot = snapshot;
      this.start = start;
      snapshot
          .entries()
          .forEach(
              (key, entry) -> {
                if (!key.contains(":lane:")) {
                  add(key, entry);
                }
              });
    }

    private void add(String key, RedisSnapshot.Entry entry) {
      String name = shortName(key);
      switch (entry.type()) {
        case "hash" ->
            entry
                .pairs()
                .forEach((field, value) -> facts.put(name + " " + field, field(key, field, value)));
        case "zset" ->
            entry
                .pairs()
                .forEach(
                    (member, score) ->
                        facts.put(
                            name + " " + shown(member),
                            Fact.of("zset", time(RedisSnapshot.text(score)))));
        case "set" -> facts.put(name, Fact.of("set", new TreeSet<>(shown(entry)).toString()));
        case "list" -> facts.put(name, Fact.of("list", shown(entry).toString()));
        default -> facts.put(name, string(key, entry.values().get(0)));
      }
      addLife(name, key, entry.ttlMillis());
    }

    /** A counter of a day expires at a time; other keys have a time to live. */
    private void addLife(String name, String key, long ttlMillis) {
      if (DAY_COUNTER.matcher(key).matches() && ttlMillis >= 0) {
        long end = Math.round((snapshot.takenAtMillis() + ttlMillis) / 1000.0);
        facts.put(name + " until", Fact.of("time", "T+" + (end - start)));
      } else {
        ttls.put(name, ttlMillis);
      }
    }

    private String shortName(String key) {
      Matcher day = DAY_COUNTER.matcher(key);
      if (day.matches()) {
        boolean isToday = key.endsWith(day(start));
        return shortName(day.group(1)) + (isToday ? ":today" : key.substring(day.end(1)));
      }
      return key.replace("asynq:{default}:", "");
    }

    private static String day(long second) {
      return LocalDate.ofEpochDay(second / 86_400).toString();
    }

    private Fact field(String key, String field, byte[] value) {
      if (TASK.matcher(key).matches()) {
        if (field.equals("msg")) {
          byte[] inStep = GoldenFile.inOrder(inStep(value));
          return new Fact(HexFormat.of().formatHex(inStep), RedisTextDump.message(inStep));
        } else if (field.equals("pending_since")) {
          String nanos = RedisSnapshot.text(value);
          return Fact.of(
              nanos.length() + " digits", time(nanos.substring(0, nanos.length() - 9)) + " in ns");
        } else if (field.equals("claim")) {
          return Fact.of("field", "a token");
        }
      }
      return Fact.of("field", shown(value));
    }

    private Fact string(String key, byte[] value) {
      if (key.startsWith("asynq:servers:{")) {
        return Fact.of("string", HexFormat.of().formatHex(serverInOrder(value)));
      }
      return Fact.of("string", time(shown(value)));
    }

    private byte[] inStep(byte[] message) {
      try {
        WireTask.Builder task = WireTask.parseFrom(message).toBuilder();
        if (task.getLastFailedAt() != 0) {
          task.setLastFailedAt(task.getLastFailedAt() - start + T_IN_MESSAGES);
        }
        if (task.getCompletedAt() != 0) {
          task.setCompletedAt(task.getCompletedAt() - start + T_IN_MESSAGES);
        }
        return task.build().toByteArray();
      } catch (InvalidProtocolBufferException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** A number that is a time of the run, as seconds since its start. */
    private String time(String text) {
      if (!text.matches("\\d{9,10}(\\.\\d+)?")) {
        return text;
      }
      int point = text.indexOf('.');
      long second = Long.parseLong(point < 0 ? text : text.substring(0, point));
      boolean ofTheRun = start <= second && second <= start + LONGEST_RUN;
      return (ofTheRun ? "T+" + (second - start) : String.valueOf(second))
          + (point < 0 ? "" : " and a fraction");
    }

    private static byte[] serverInOrder(byte[] info) {
      try {
        WireServer server = WireServer.parseFrom(info);
        return server.toBuilder()
            .clearQueues()
            .putAllQueues(new TreeMap<>(server.getQueuesMap()))
            .build()
            .toByteArray();
      } catch (InvalidProtocolBufferException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static List<String> shown(RedisSnapshot.Entry entry) {
      return entry.values().stream().map(Side::shown).toList();
    }

    private static String shown(String text) {
      return shown(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String shown(byte[] bytes) {
      String text = RedisSnapshot.text(bytes);
      boolean isText = text.chars().allMatch(c -> c >= ' ' && c != '\ufffd');
      return isText ? text : HexFormat.of().formatHex(bytes);
    }
  }

  /**
   * One line for each difference, in order.
   *
   * @param shift by how much our clock was ahead of the original's
   */
  static List<String> between(GoldenFile golden, RedisSnapshot ours, Duration shift) {
    long start = golden.started().getEpochSecond();
    Side go = new Side(golden.snapshot(), start);
    Side our = new Side(ours, start + shift.toSeconds());
    List<String> differences = new ArrayList<>();
    for (String name : union(go.facts, our.facts)) {
      Fact theirs = go.facts.get(name);
      Fact mine = our.facts.get(name);
      if (!Objects.equals(theirs, mine)) {
        differences.add(name + ": " + shown(theirs) + " -> " + shown(mine));
      }
    }
    long run = Duration.between(golden.started(), golden.dumped()).toMillis();
    for (String name : union(go.ttls, our.ttls)) {
      Long theirs = go.ttls.get(name);
      Long mine = our.ttls.get(name);
      if (theirs != null && mine != null && !isSameLife(theirs, mine, run)) {
        differences.add(name + " lasts: " + life(theirs) + " -> " + life(mine));
      }
    }
    return differences;
  }

  /**
   * Ours was given its life just now; theirs was at some time of the run, and has lost some since.
   */
  private static boolean isSameLife(long theirs, long ours, long run) {
    if (theirs < 0 || ours < 0) {
      return theirs < 0 && ours < 0;
    }
    return ours - theirs >= -1000 && ours - theirs <= run + 100;
  }

  private static String life(long millis) {
    return millis < 0 ? "for ever" : Math.round(millis / 1000.0) + " s";
  }

  private static String shown(@Nullable Fact fact) {
    return fact == null ? NOTHING : fact.shown();
  }

  private static Set<String> union(Map<String, ?> one, Map<String, ?> other) {
    TreeSet<String> names = new TreeSet<>(one.keySet());
    names.addAll(other.keySet());
    return names;
  }
}
