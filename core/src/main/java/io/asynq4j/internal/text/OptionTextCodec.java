package io.asynq4j.internal.text;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.TaskOptions;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Task options as text, such as {@code Queue("mail")} and {@code Timeout(3m0s)}. Schedulers publish
 * the options of their entries in this format, which is the same as Go's.
 */
public final class OptionTextCodec {

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss 'UTC' yyyy", Locale.ENGLISH);

  private static final DateTimeFormatter DATE_WITHOUT_ZONE =
      DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss yyyy", Locale.ENGLISH);

  private static final Pattern TEXT = Pattern.compile(GoQuotedText.QUOTED, Pattern.DOTALL);

  private static final Pattern HEADER =
      Pattern.compile(
          "\\[" + GoQuotedText.QUOTED + "," + GoQuotedText.QUOTED + "]", Pattern.DOTALL);

  private OptionTextCodec() {}

  /** Returns the options that are set, including the headers of the task. */
  public static List<String> of(TaskOptions options, Map<String, String> taskHeaders) {
    List<String> texts = new ArrayList<>();
    add(texts, "Queue", options.queue(), queue -> GoQuotedText.quote(queue.value()));
    add(texts, "MaxRetry", options.maxRetry(), String::valueOf);
    add(texts, "Timeout", options.timeout(), GoDuration::format);
    add(texts, "Deadline", options.deadline(), OptionTextCodec::date);
    add(texts, "Unique", options.uniqueFor(), GoDuration::format);
    add(texts, "ProcessAt", options.processAt(), OptionTextCodec::date);
    add(texts, "ProcessIn", options.processIn(), GoDuration::format);
    if (options.precise()) {
      // An option of asynq4j; Go ignores unknown names.
      texts.add("Precise()");
    }
    add(texts, "TaskID", options.id(), GoQuotedText::quote);
    add(texts, "Retention", options.retention(), GoDuration::format);
    add(texts, "Group", options.group(), GoQuotedText::quote);
    Map<String, String> headers = new TreeMap<>(taskHeaders);
    headers.putAll(options.headers());
    headers.forEach(
        (name, value) ->
            texts.add(
                "Header([" + GoQuotedText.json(name) + "," + GoQuotedText.json(value) + "])"));
    return texts;
  }

  private static <T> void add(
      List<String> texts, String name, @Nullable T value, Function<T, String> format) {
    if (value != null) {
      texts.add(name + "(" + format.apply(value) + ")");
    }
  }

  private static String date(Instant instant) {
    return DATE.format(instant.atOffset(ZoneOffset.UTC));
  }

  /**
   * Parsed options.
   *
   * @param unread texts of another program that cannot be parsed or have invalid values
   */
  public record Read(TaskOptions options, List<String> unread) {}

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
    return new Read(all, List.copyOf(unread));
  }

  private static TaskOptions one(String text) {
    int open = text.indexOf('(');
    require(open >= 0 && text.endsWith(")"), "not an option: " + text);
    String argument = text.substring(open + 1, text.length() - 1);
    UnaryOperator<TaskOptions.Builder> option =
        switch (text.substring(0, open)) {
          case "Queue" -> o -> o.queue(unquoted(argument));
          case "MaxRetry" -> o -> o.maxRetry(Integer.parseInt(argument));
          case "Timeout" -> o -> o.timeout(GoDuration.parse(argument));
          case "Deadline" -> o -> o.deadline(instant(argument));
          case "Unique" -> o -> o.uniqueFor(GoDuration.parse(argument));
          case "ProcessAt" -> o -> o.processAt(instant(argument));
          case "ProcessIn" -> o -> o.processIn(GoDuration.parse(argument));
          case "Precise" -> TaskOptions.Builder::precise;
          case "TaskID" -> o -> o.id(unquoted(argument));
          case "Retention" -> o -> o.retention(GoDuration.parse(argument));
          case "Group" -> o -> o.group(unquoted(argument));
          case "Header" -> o -> header(o, argument);
          default -> throw new IllegalArgumentException("an unknown option: " + text);
        };
    return TaskOptions.of(option);
  }

  private static String unquoted(String argument) {
    return GoQuotedText.unescape(matched(TEXT, argument).group(1));
  }

  private static TaskOptions.Builder header(TaskOptions.Builder options, String argument) {
    Matcher header = matched(HEADER, argument);
    return options.header(
        GoQuotedText.unescape(header.group(1)), GoQuotedText.unescape(header.group(2)));
  }

  private static Matcher matched(Pattern form, String argument) {
    Matcher matcher = form.matcher(argument);
    require(matcher.matches(), "not a quoted text: " + argument);
    return matcher;
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
