package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.internal.text.DurationFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a task search: words that may match in any field, and the terms {@code type:}, {@code
 * id:}, {@code error:}, {@code payload:}, {@code header:}, {@code older:}, {@code younger:}, {@code
 * retried:} and {@code $.path=value} that match one field. All terms must match.
 */
public final class SearchParser {

  private static final Pattern TERM = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\"?)+");
  private static final Pattern AT = Pattern.compile("(\\$[^=]*)(?:=(.*))?", Pattern.DOTALL);
  private static final Pattern FIELD = Pattern.compile("([a-z]+):(.*)", Pattern.DOTALL);

  private SearchParser() {}

  public static TaskFilter parse(String text) {
    TaskFilter filter = TaskFilter.all();
    for (String term : terms(text)) {
      filter = filter.and(term(term));
    }
    return filter;
  }

  private static List<String> terms(String text) {
    List<String> terms = new ArrayList<>();
    Matcher matcher = TERM.matcher(text);
    while (matcher.find()) {
      terms.add(matcher.group().replace("\"", ""));
    }
    return terms;
  }

  private static TaskFilter term(String term) {
    Matcher at = AT.matcher(term);
    if (at.matches()) {
      return at.group(2) == null
          ? TaskFilter.payloadHas(at.group(1))
          : TaskFilter.payloadAt(at.group(1), at.group(2));
    }
    Matcher field = FIELD.matcher(term);
    if (!field.matches()) {
      return anywhere(term);
    }
    String value = field.group(2);
    return switch (field.group(1)) {
      case "type" -> TaskFilter.type(value);
      case "id" -> TaskFilter.idPrefix(value);
      case "error" -> TaskFilter.errorContains(value);
      case "payload" -> TaskFilter.payloadContains(value);
      case "header" -> header(value);
      case "older" -> TaskFilter.olderThan(DurationFormat.parse(value));
      case "younger" -> TaskFilter.youngerThan(DurationFormat.parse(value));
      case "retried" -> TaskFilter.retriedAtLeast(number(value));
      // Task types contain colons too.
      default -> anywhere(term);
    };
  }

  private static TaskFilter header(String value) {
    int equals = value.indexOf('=');
    return equals < 0
        ? TaskFilter.hasHeader(value)
        : TaskFilter.header(value.substring(0, equals), value.substring(equals + 1));
  }

  private static int number(String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "\"" + value + "\" is not a number of retries; use a format such as retried:3", e);
    }
  }

  private static TaskFilter anywhere(String word) {
    String wanted = word.toLowerCase(Locale.ROOT);
    return TaskFilter.of(
        task ->
            contains(task.id(), wanted)
                || contains(task.type(), wanted)
                || contains(task.lastError(), wanted)
                || contains(task.payload().utf8(), wanted)
                || inHeaders(task, wanted));
  }

  private static boolean inHeaders(TaskInfo task, String wanted) {
    return task.headers().values().stream().anyMatch(value -> contains(value, wanted));
  }

  /** Whether a row contains the text, ignoring case. */
  public static boolean contains(String text, String search) {
    return text.toLowerCase(Locale.ROOT).contains(search.toLowerCase(Locale.ROOT));
  }
}
