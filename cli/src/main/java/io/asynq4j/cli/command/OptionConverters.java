package io.asynq4j.cli.command;

import io.asynq4j.TaskState;
import io.asynq4j.internal.text.DurationFormat;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for values on the command line. */
public final class OptionConverters {

  private OptionConverters() {}

  public static void register(CommandLine commands) {
    commands
        .registerConverter(Duration.class, converter(DurationFormat::parse))
        .registerConverter(Instant.class, converter(OptionConverters::instant))
        .registerConverter(ZoneId.class, converter(OptionConverters::zone))
        .registerConverter(
            TaskState.class, converter(word -> TaskState.ofWord(word.toLowerCase(Locale.ROOT))))
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  private static <T> ITypeConverter<T> converter(Function<String, T> parser) {
    return text -> {
      try {
        return parser.apply(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a valid time zone; use a format such as Europe/Berlin, UTC or +02:00",
          e);
    }
  }

  /** RFC 3339; without an offset in the time zone of this machine. */
  public static Instant instant(String text) {
    try {
      return text.matches(".*([zZ]|[+-]\\d\\d:\\d\\d)")
          ? OffsetDateTime.parse(text).toInstant()
          : LocalDateTime.parse(text.replace(' ', 'T')).atZone(ZoneId.systemDefault()).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a valid time; use a format such as 2030-01-31T08:00:00Z or 2030-01-31T09:00",
          e);
    }
  }
}
