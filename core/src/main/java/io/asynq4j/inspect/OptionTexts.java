package io.asynq4j.inspect;

import io.asynq4j.TaskOptions;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the options of a scheduler's entry back from the texts in which asynq keeps them, such as
 * {@code Timeout(1m30s)}. Also those that the original cannot read back: ids, groups, and whatever
 * has parentheses in it.
 */
final class OptionTexts {

  private static final Pattern DURATION_PART =
      Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|µs|μs|us|ms|s|m|h)");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern ESCAPE =
      Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))");

  /** {@code Mon Jan 1 00:00:00 UTC 2024}. */
  private static final DateTimeFormatter DATE =
      new DateTimeFormatterBuilder()
          .parseLenient()
          .appendPattern("EEE MMM d HH:mm:ss zzz yyyy")
          .toFormatter(Locale.ENGLISH);

  private final TaskOptions.Builder options = TaskOptions.builder();

  private OptionTexts() {}

  /**
   * What was read.
   *
   * @param unread the texts that could not be
   */
  record Read(TaskOptions options, List<String> unread) {}

  static Read read(List<String> texts) {
    OptionTexts reader = new OptionTexts();
    List<String> unread = new ArrayList<>();
    for (String text : texts) {
      if (!reader.take(text)) {
        unread.add(text);
      }
    }
    try {
      return new Read(reader.options.build(), unread);
    } catch (IllegalArgumentException e) {
      // Each can be read, but they contradict each other.
      return new Read(TaskOptions.defaults(), texts);
    }
  }

  private boolean take(String text) {
    int open = text.indexOf('(');
    if (open < 0 || !text.endsWith(")")) {
      return false;
    }
    String value = text.substring(open + 1, text.length() - 1);
    try {
      switch (text.substring(0, open)) {
        case "MaxRetry" -> options.maxRetry(Integer.parseInt(value));
        case "Queue" -> options.queue(unquoted(value));
        case "TaskID" -> options.id(unquoted(value));
        case "Group" -> options.group(unquoted(value));
        case "Timeout" -> options.timeout(duration(value));
        case "Unique" -> options.uniqueFor(duration(value));
        case "ProcessIn" -> options.processIn(duration(value));
        case "Retention" -> options.retention(duration(value));
        case "Deadline" -> options.deadline(date(value));
        case "ProcessAt" -> options.processAt(date(value));
        case "Header" -> header(value);
        default -> {
          return false;
        }
      }
      return true;
    } catch (IllegalArgumentException | DateTimeException e) {
      return false;
    }
  }

  private void header(String array) {
    Matcher text = QUOTED.matcher(array);
    List<String> pair = new ArrayList<>(2);
    while (text.find()) {
      pair.add(unescaped(text.group(1)));
    }
    if (pair.size() != 2) {
      throw new IllegalArgumentException("not a header: " + array);
    }
    options.header(pair.get(0), pair.get(1));
  }

  private static String unquoted(String text) {
    Matcher quoted = QUOTED.matcher(text);
    if (!quoted.matches()) {
      throw new IllegalArgumentException("not in quotes: " + text);
    }
    return unescaped(quoted.group(1));
  }

  private static String unescaped(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(
            escape -> {
              for (int group = 1; group <= 3; group++) {
                if (escape.group(group) != null) {
                  return Matcher.quoteReplacement(
                      Character.toString(Integer.parseInt(escape.group(group), 16)));
                }
              }
              return Matcher.quoteReplacement(control(escape.group(4)));
            });
  }

  private static String control(String letter) {
    return switch (letter) {
      case "n" -> "\n";
      case "t" -> "\t";
      case "r" -> "\r";
      case "a" -> "\u0007";
      case "b" -> "\b";
      case "f" -> "\f";
      case "v" -> "\u000b";
      default -> letter;
    };
  }

  private static Duration duration(String text) {
    if (text.equals("0s")) {
      return Duration.ZERO;
    }
    Matcher part = DURATION_PART.matcher(text);
    BigDecimal nanos = BigDecimal.ZERO;
    int end = 0;
    while (end < text.length() && part.find(end) && part.start() == end) {
      nanos = nanos.add(new BigDecimal(part.group(1)).multiply(nanosOf(part.group(2))));
      end = part.end();
    }
    if (end == 0 || end < text.length()) {
      throw new IllegalArgumentException("not a duration: " + text);
    }
    return Duration.ofNanos(nanos.longValue());
  }

  private static BigDecimal nanosOf(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "ns" -> 1L;
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          default -> 1_000L;
        });
  }

  private static Instant date(String text) {
    return ZonedDateTime.parse(text.replaceAll(" {2,}", " "), DATE).toInstant();
  }
}
