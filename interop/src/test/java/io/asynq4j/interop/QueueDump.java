package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.assertj.core.data.Offset;
import redis.clients.jedis.Jedis;

/**
 * All data of a queue in Redis, as two maps: values that must be equal for both writers, and times,
 * which can only be close to each other.
 */
record QueueDump(Map<String, String> values, Map<String, Double> times) {

  private static final int LAST_FAILED_AT = 11;
  private static final int COMPLETED_AT = 13;
  private static final int HEADERS = 15;

  /** Maximum duration of the actions of either side, in seconds. */
  private static final Offset<Double> CLOSE = Offset.offset(4.0);

  static QueueDump of(Jedis jedis, String queue) {
    QueueDump dump = new QueueDump(new TreeMap<>(), new TreeMap<>());
    String prefix = InteropTestBase.key(queue, "");
    for (String key : jedis.keys(prefix + "*")) {
      String name = key.substring(prefix.length());
      // Ours, and gone after two minutes: what a writer has done last.
      if (!name.startsWith("lane:")) {
        dump.add(jedis, key, name);
      }
    }
    return dump;
  }

  private void add(Jedis jedis, String key, String name) {
    switch (jedis.type(key)) {
      case "hash" -> addRecord(jedis, key, name);
      case "list" -> values.put(name, jedis.lrange(key, 0, -1).toString());
      case "set" -> values.put(name, jedis.smembers(key).toString());
      case "zset" ->
          jedis
              .zrangeWithScores(key, 0, -1)
              .forEach(
                  one -> {
                    values.put(name + "/" + one.getElement(), "");
                    times.put(name + "/" + one.getElement(), one.getScore());
                  });
      default -> {
        values.put(name, jedis.get(key));
        times.put(name + " for", (double) jedis.ttl(key));
      }
    }
  }

  private void addRecord(Jedis jedis, String key, String name) {
    Map<byte[], byte[]> fields = jedis.hgetAll(key.getBytes(StandardCharsets.UTF_8));
    fields.forEach(
        (field, value) -> {
          String place = name + "/" + new String(field, StandardCharsets.UTF_8);
          if (place.endsWith("/msg")) {
            addMessage(place, value);
          } else if (place.endsWith("/pending_since")) {
            times.put(place, Double.parseDouble(new String(value, StandardCharsets.UTF_8)) / 1e9);
          } else if (place.endsWith("/result")) {
            values.put(place, HexFormat.of().formatHex(value));
          } else {
            values.put(place, new String(value, StandardCharsets.UTF_8));
          }
        });
  }

  /** All bytes in their order, but for the order of headers, which is any, and for times. */
  private void addMessage(String place, byte[] message) {
    List<String> bytes = new ArrayList<>();
    List<String> headers = new ArrayList<>();
    for (WireField field : WireField.of(message)) {
      if (field.tag() == HEADERS) {
        headers.add(field.hex());
        continue;
      }
      bytes.addAll(sorted(headers));
      headers.clear();
      if (field.tag() == LAST_FAILED_AT || field.tag() == COMPLETED_AT) {
        times.put(place + "." + field.tag(), (double) field.number());
        bytes.add("(" + field.tag() + ": " + field.hex().length() / 2 + " bytes)");
      } else {
        bytes.add(field.hex());
      }
    }
    bytes.addAll(sorted(headers));
    values.put(place, String.join(" ", bytes));
  }

  private static List<String> sorted(List<String> hex) {
    return hex.stream().sorted().toList();
  }

  /** How long after its completion each completed task may be deleted, in seconds. */
  Map<String, Double> keptFor() {
    Map<String, Double> kept = new TreeMap<>();
    times.forEach(
        (place, score) -> {
          if (place.startsWith("completed/")) {
            String id = place.substring("completed/".length());
            Double completed = times.get("t:" + id + "/msg." + COMPLETED_AT);
            kept.put(id, score - Objects.requireNonNull(completed));
          }
        });
    return kept;
  }

  /** This with those times that both sides were given, and must have kept as they are. */
  QueueDump withGiven(Set<String> places) {
    QueueDump strict = without(place -> false);
    for (String place : places) {
      Double time = strict.times.remove(place);
      assertThat(time).as(place).isNotNull();
      strict.values.put(place + " at", String.valueOf(time));
    }
    return strict;
  }

  /** The same without the fields that only our side writes. */
  QueueDump without(Predicate<String> places) {
    QueueDump rest = new QueueDump(new TreeMap<>(values), new TreeMap<>(times));
    rest.values.keySet().removeIf(places);
    rest.times.keySet().removeIf(places);
    return rest;
  }

  /** Asserts that we store the same as Go, apart from these fields. */
  static void assertSame(QueueDump ours, QueueDump go, Set<String> oursAlone) {
    assertThat(ours.values.keySet()).containsAll(oursAlone);
    assertThat(go.values.keySet()).noneMatch(oursAlone::contains);
    QueueDump rest = ours.without(oursAlone::contains);
    assertThat(rest.values).containsExactlyEntriesOf(go.values);
    assertThat(rest.times.keySet()).isEqualTo(go.times.keySet());
    rest.times.forEach(
        (place, time) ->
            assertThat(time)
                .as(place)
                .isCloseTo(Objects.requireNonNull(go.times.get(place)), CLOSE));
  }
}
