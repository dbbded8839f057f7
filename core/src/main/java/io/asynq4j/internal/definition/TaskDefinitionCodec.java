package io.asynq4j.internal.definition;

import io.asynq4j.RateLimit;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Definitions as lines of {@code field=value}, readable in Redis and easy to parse in any language.
 * Unknown fields are skipped, so that different versions can share one list.
 */
public final class TaskDefinitionCodec {

  private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);
  private static final Pattern ESCAPED = Pattern.compile("\\\\(.)", Pattern.DOTALL);

  private TaskDefinitionCodec() {}

  public static String format(TaskDefinition definition) {
    StringBuilder text = new StringBuilder();
    line(text, "kind", definition.kind().word());
    line(text, "queue", definition.queue().value());
    line(text, "weight", definition.weight() == 1 ? null : definition.weight());
    line(text, "max_run", definition.maxRun() == 0 ? null : definition.maxRun());
    line(text, "ordered", definition.ordered() ? "1" : null);
    line(text, "timeout_ms", millis(definition.timeout()));
    line(text, "max_retry", definition.maxRetry());
    line(text, "backoff_ms", millis(definition.backoff()));
    line(text, "longest_backoff_ms", millis(definition.longestBackoff()));
    line(text, "retention_ms", millis(definition.retention()));
    line(text, "unique_ms", millis(definition.uniqueFor()));
    line(text, "max_pending", definition.maxPending() == 0 ? null : definition.maxPending());
    RateLimit rate = definition.rate();
    line(text, "rate", rate == null ? null : rate.tasks());
    line(text, "rate_ms", rate == null ? null : millis(rate.per()));
    line(text, "burst", rate == null ? null : rate.burst());
    line(text, "before", definition.followUps().before());
    line(text, "success", definition.followUps().success());
    line(text, "failure", definition.followUps().failure());
    line(text, "schema", definition.paramsSchema());
    line(text, "from_file", definition.fromFile() ? "1" : null);
    return text.toString();
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : TimeMath.min(duration, LONGEST).toMillis();
  }

  private static void line(StringBuilder text, String field, @Nullable Object value) {
    if (value != null) {
      String escaped =
          value.toString().replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
      text.append(field).append('=').append(escaped).append('\n');
    }
  }

  /**
   * Parses a definition.
   *
   * @throws IllegalArgumentException if the text is invalid
   */
  public static TaskDefinition parse(String name, String text) {
    Map<String, String> fields = new HashMap<>();
    for (String line : text.split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        fields.put(line.substring(0, equals), unescaped(line.substring(equals + 1)));
      }
    }
    String kind = fields.get("kind");
    if (kind == null) {
      throw new IllegalArgumentException("the definition has no kind");
    }
    TaskDefinition.Builder builder =
        TaskDefinition.builder(name, TaskKind.valueOf(kind.toUpperCase(Locale.ROOT)));
    fields.forEach((field, value) -> set(builder, field, value));
    if (fields.containsKey("rate")) {
      builder.rate(
          new RateLimit(
              Integer.parseInt(fields.getOrDefault("rate", "")),
              Duration.ofMillis(Long.parseLong(fields.getOrDefault("rate_ms", "1000"))),
              Integer.parseInt(fields.getOrDefault("burst", "1"))));
    }
    builder.followUps(
        new FollowUps(fields.get("before"), fields.get("success"), fields.get("failure")));
    return builder.build();
  }

  private static void set(TaskDefinition.Builder builder, String field, String value) {
    switch (field) {
      case "queue" -> builder.queue(value);
      case "weight" -> builder.weight(Integer.parseInt(value));
      case "max_run" -> builder.maxRun(Integer.parseInt(value));
      case "ordered" -> builder.ordered(value.equals("1"));
      case "timeout_ms" -> duration(value, builder::timeout);
      case "max_retry" -> builder.maxRetry(Integer.parseInt(value));
      case "backoff_ms" -> duration(value, builder::backoff);
      case "longest_backoff_ms" -> duration(value, builder::longestBackoff);
      case "retention_ms" -> duration(value, builder::retention);
      case "unique_ms" -> duration(value, builder::uniqueFor);
      case "max_pending" -> builder.maxPending(Long.parseLong(value));
      case "schema" -> builder.paramsSchema(value);
      case "from_file" -> builder.fromFile(value.equals("1"));
      default -> {
        // A field of a newer version.
      }
    }
  }

  private static void duration(String millis, Consumer<Duration> setter) {
    setter.accept(Duration.ofMillis(Long.parseLong(millis)));
  }

  private static String unescaped(String value) {
    return ESCAPED
        .matcher(value)
        .replaceAll(
            found ->
                switch (found.group(1)) {
                  case "n" -> "\n";
                  case "r" -> "\r";
                  default -> Matcher.quoteReplacement(found.group(1));
                });
  }
}
