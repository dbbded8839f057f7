package io.asynq4j.dashboard.internal.search;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Problem;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.internal.text.TextExcerpt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses the query language: terms separated by spaces that a task must all match, such as {@code
 * type:email:* state:archived error:"refused" -payload.user.id=42 age>1h}. Not thread-safe.
 */
public final class QueryParser {

  private static final int LONGEST = 2_000;

  private static final Pattern TERM =
      Pattern.compile(
          "(-?)(?:([A-Za-z]+(?:\\.[^\\s:=<>\"]+)?)(>=|<=|:|=|>|<))?(\"((?:[^\"\\\\]|\\\\.)*)\"|[^\\s\"]+)(?=\\s|$)");

  public static final List<String> KEYS =
      List.of(
          "queue:",
          "state:",
          "type:",
          "id:",
          "group:",
          "error:",
          "payload:",
          "payload.",
          "header.",
          "has:",
          "retried>=",
          "retried<=",
          "age>",
          "age<",
          "fingerprint:");

  private final List<Query.QueueTerm> queues = new ArrayList<>();
  private final Set<TaskState> states = EnumSet.allOf(TaskState.class);
  private boolean namesState;
  private @Nullable String exactQueue;
  private TaskFilter filter = TaskFilter.all();

  private QueryParser() {}

  public static Query parse(String text) {
    if (text.length() > LONGEST) {
      throw Problems.unprocessable("A query can have at most 2,000 characters.");
    }
    QueryParser parser = new QueryParser();
    Matcher term = TERM.matcher(text);
    int end = skipBlank(text, 0);
    while (end < text.length()) {
      if (!term.find(end) || term.start() != end) {
        throw Problems.unprocessable(
            "Invalid query at \""
                + TextExcerpt.of(text.substring(end), 50)
                + "\". Put values with spaces or quotes \"in quotes\".");
      }
      boolean isNegated = !term.group(1).isEmpty();
      String value =
          term.group(5) == null ? term.group(4) : term.group(5).replaceAll("\\\\(.)", "$1");
      String key = term.group(2);
      if (key == null) {
        parser.where(anywhere(value), isNegated);
      } else {
        parser.term(key, term.group(3), value, isNegated);
      }
      end = skipBlank(text, term.end());
    }
    return new Query(
        text,
        List.copyOf(parser.queues),
        parser.exactQueue,
        parser.states,
        parser.namesState,
        parser.filter);
  }

  private static int skipBlank(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private void where(TaskFilter more, boolean isNegated) {
    filter = filter.and(isNegated ? more.negate() : more);
  }

  private void term(String key, String operator, String value, boolean isNegated) {
    int dot = key.indexOf('.');
    String name = (dot < 0 ? key : key.substring(0, dot)).toLowerCase(Locale.ROOT);
    if (dot >= 0) {
      String rest = key.substring(dot + 1);
      require(operator.equals("=") || operator.equals(":"), key, operator);
      switch (name) {
        case "payload" -> where(TaskFilter.payloadAt("$." + rest, value), isNegated);
        case "header" -> where(TaskFilter.header(rest, value), isNegated);
        default -> throw unknown(key);
      }
      return;
    }
    switch (name) {
      case "retried" -> where(retried(operator, whole(value)), isNegated);
      case "age" -> where(age(operator, DurationFormat.parse(value)), isNegated);
      default -> {
        require(operator.equals(":") || operator.equals("="), key, operator);
        named(name, value, isNegated);
      }
    }
  }

  private void named(String name, String value, boolean isNegated) {
    switch (name) {
      case "queue" -> {
        queues.add(new Query.QueueTerm(Glob.of(value), isNegated));
        if (!isNegated && !value.contains("*")) {
          exactQueue = value;
        }
      }
      case "state" -> {
        Set<TaskState> named = states(value);
        if (isNegated) {
          states.removeAll(named);
        } else {
          states.retainAll(named);
          namesState = true;
        }
      }
      case "type" -> where(TaskFilter.type(value), isNegated);
      case "id" -> where(TaskFilter.idPrefix(value), isNegated);
      case "group" -> where(TaskFilter.of(task -> task.group().equals(value)), isNegated);
      case "error" -> where(TaskFilter.errorContains(value), isNegated);
      case "payload" -> where(TaskFilter.payloadContains(value), isNegated);
      case "fingerprint" ->
          where(TaskFilter.of(task -> value.equals(FailureFingerprint.of(task))), isNegated);
      case "has" -> where(has(value), isNegated);
      default -> throw unknown(name);
    }
  }

  private static TaskFilter has(String what) {
    if (what.startsWith("payload.")) {
      return TaskFilter.payloadHas("$." + what.substring("payload.".length()));
    } else if (what.startsWith("header.")) {
      return TaskFilter.hasHeader(what.substring("header.".length()));
    }
    return switch (what) {
      case "error" -> TaskFilter.of(task -> !task.lastError().isEmpty());
      case "result" -> TaskFilter.of(task -> task.result().size() > 0);
      case "payload" -> TaskFilter.of(task -> task.payload().size() > 0);
      case "group" -> TaskFilter.of(task -> !task.group().isEmpty());
      default ->
          throw Problems.unprocessable(
              "has: must be followed by error, result, payload, group, payload.<path> or header.<name>, not \""
                  + what
                  + "\".");
    };
  }

  private static Set<TaskState> states(String value) {
    return Arrays.stream(value.split(",", -1))
        .map(TaskState::ofWord)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(TaskState.class)));
  }

  private static TaskFilter retried(String operator, int times) {
    return switch (operator) {
      case ">=" -> TaskFilter.retriedAtLeast(times);
      case ">" -> TaskFilter.retriedAtLeast(times + 1);
      case "<=" -> TaskFilter.retriedAtMost(times);
      case "<" -> TaskFilter.retriedAtMost(times - 1);
      default -> TaskFilter.retriedAtLeast(times).and(TaskFilter.retriedAtMost(times));
    };
  }

  private static TaskFilter age(String operator, Duration age) {
    return switch (operator) {
      case ">=", ">" -> TaskFilter.olderThan(age);
      case "<=", "<" -> TaskFilter.youngerThan(age);
      default ->
          throw Problems.unprocessable("age needs the operator > or <: write age>1h or age<10m.");
    };
  }

  private static int whole(String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw Problems.unprocessable(
          "retried must be compared with an integer, not \"" + value + "\".");
    }
  }

  private static TaskFilter anywhere(String word) {
    Pattern pattern =
        Pattern.compile(Pattern.quote(word), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    return TaskFilter.of(task -> isIn(pattern, task));
  }

  private static boolean isIn(Pattern pattern, TaskInfo task) {
    return pattern.matcher(task.id()).find()
        || pattern.matcher(task.type()).find()
        || pattern.matcher(task.lastError()).find()
        || pattern.matcher(task.payload().utf8()).find();
  }

  private static void require(boolean isRight, String key, String operator) {
    if (!isRight) {
      throw Problems.unprocessable(
          "\"" + key + "\" does not support the operator " + operator + "; use :.");
    }
  }

  private static Problem unknown(String key) {
    return Problems.unprocessable(
        "\""
            + key
            + "\" is not a search field. The fields are "
            + String.join(" ", KEYS)
            + ". To search for the text itself, put it in quotes.");
  }
}
