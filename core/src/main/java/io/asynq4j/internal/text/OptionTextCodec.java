package io.asynq4j.internal.text;

import io.asynq4j.TaskOptions;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Task options as text, such as {@code Queue("mail")} and {@code Timeout(3m0s)}. Schedulers publish
 * the options of their entries in this format, which is the same as Go's.
 */
public final class OptionTextCodec {

  private static final DateTimeFormatter DATE =
      new DateTimeFormatterBuilder()
          .appendPattern("EEE MMM ")
          .padNext(2)
          .appendPattern("d HH:mm:ss 'UTC' yyyy")
          .toFormatter(Locale.ENGLISH);

  private static final DateTimeFormatter DATE_WITHOUT_ZONE =
      DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss yyyy", Locale.ENGLISH);

  private OptionTextCodec() {}

  /** Returns the options that are set, including the headers of the task. */
  public static List<String> of(TaskOptions options, Map<String, String> taskHeaders) {
    List<String> texts = new ArrayList<>();
    if (options.queue() != null) {
      texts.add("Queue(" + GoQuotedText.quote(options.queue().value()) + ")");
    }
    if (options.maxRetry() != null) {
      texts.add("MaxRetry(" + options.maxRetry() + ")");
    }
    if (options.timeout() != null) {
      texts.add("Timeout(" + GoDuration.format(options.timeout()) + ")");
    }
    if (options.deadline() != null) {
      texts.add("Deadline(" + date(options.deadline()) + ")");
    }
    if (options.uniqueFor() != null) {
      texts.add("Unique(" + GoDuration.format(options.uniqueFor()) + ")");
    }
    if (options.processAt() != null) {
      texts.add("ProcessAt(" + date(options.processAt()) + ")");
    }
    if (options.processIn() != null) {
      texts.add("ProcessIn(" + GoDuration.format(options.processIn()) + ")");
    }
    if (options.precise()) {
      // An option of asynq4j; Go ignores unknown names.
      texts.add("Precise()");
    }
    if (options.id() != null) {
      texts.add("TaskID(" + GoQuotedText.quote(options.id()) + ")");
    }
    if (options.retention() != null) {
      texts.add("Retention(" + GoDuration.format(options.retention()) + ")");
    }
    if (options.group() != null) {
      texts.add("Group(" + GoQuotedText.quote(options.group()) + ")");
    }
    Map<String, String> headers = new TreeMap<>(taskHeaders);
    headers.putAll(options.headers());
    headers.forEach(
        (name, value) ->
            texts.add(
                "Header([" + GoQuotedText.json(name) + "," + GoQuotedText.json(value) + "])"));
    return texts;
  }

  private static String date(Instant instant) {
    return DATE.format(instant.atOffset(ZoneOffset.UTC));
  }

  /**
   * Parsed options.
   *
   * @param unread texts of another program that cannot be parsed or have invalid values
   */
  public record Read(TaskOptions options, List<String> unread) {
    public Read {
      unread = List.copyOf(unread);
    }
  }

  public static Read read(List<String> texts) {
    TaskOptions all = TaskOptions.defaults();
    List<String> unread = new ArrayList<>();
    for (String text : texts) {
      try {
        all = all.overriddenBy(one(text));
      } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
        unread.add(text);
      }
    }
    return new Read(all, unread);
  }

  private static TaskOptions one(String text) {
    int open = text.indexOf('(');
    if (open < 0 || !text.endsWith(")")) {
      throw new IllegalArgumentException("not an option: " + text);
    }
    String argument = text.substring(open + 1, text.length() - 1);
    UnaryOperator<TaskOptions.Builder> option =
        switch (text.substring(0, open)) {
          case "Queue" -> o -> o.queue(unquoted(argument));
          case "MaxRetry" -> o -> o.maxRetry(Integer.parseInt(argument));
          case "Timeout" -> o -> o.timeout(duration(argument));
          case "Deadline" -> o -> o.deadline(instant(argument));
          case "Unique" -> o -> o.uniqueFor(duration(argument));
          case "ProcessAt" -> o -> o.processAt(instant(argument));
          case "ProcessIn" -> o -> o.processIn(duration(argument));
          case "Precise" -> TaskOptions.Builder::precise;
          case "TaskID" -> o -> o.id(unquoted(argument));
          case "Retention" -> o -> o.retention(duration(argument));
          case "Group" -> o -> o.group(unquoted(argument));
          case "Header" -> o -> header(o, argument);
          default -> throw new IllegalArgumentException("an unknown option: " + text);
        };
    return TaskOptions.of(option);
  }

  private static String unquoted(String argument) {
    GoQuotedText.Reader reader = new GoQuotedText.Reader(argument);
    String text = reader.quoted();
    reader.expectEnd();
    return text;
  }

  private static TaskOptions.Builder header(TaskOptions.Builder options, String argument) {
    GoQuotedText.Reader reader = new GoQuotedText.Reader(argument);
    reader.expect('[');
    String name = reader.quoted();
    reader.expect(',');
    String value = reader.quoted();
    reader.expect(']');
    reader.expectEnd();
    return options.header(name, value);
  }

  private static Duration duration(String argument) {
    return GoDuration.parse(argument);
  }

  /** The zone abbreviation is before the year. */
  private static Instant instant(String argument) {
    String[] words = argument.trim().split("\\s+", -1);
    String zone = words[4];
    String rest = String.join(" ", words[0], words[1], words[2], words[3], words[5]);
    return LocalDateTime.parse(rest, DATE_WITHOUT_ZONE)
        .atZone(ZoneId.of(zone, ZoneId.SHORT_IDS))
        .toInstant();
  }
}
