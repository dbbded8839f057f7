package io.asynq4j.internal.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers of bytes in configuration files and options: a number alone, or with a unit: {@code B},
 * {@code KiB}, {@code MiB}, {@code GiB} and {@code TiB} in steps of 1,024, {@code kB}, {@code MB},
 * {@code GB} and {@code TB} in steps of 1,000. Upper and lower case mean the same.
 */
public final class ByteSizeFormat {

  /** The form, for messages that name a bound or a field as well. */
  public static final String EXPECTED = "such as 500, 64KiB, 1.5MiB or 512kB";

  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?) ?(B|[KMGT]i?B)?", Pattern.CASE_INSENSITIVE);
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

  private ByteSizeFormat() {}

  /** Empty when it is not a size, or too large for a {@code long}. */
  public static Optional<Long> tryParse(String text) {
    Matcher parts = SIZE.matcher(text.strip());
    if (!parts.matches()) {
      return Optional.empty();
    }
    String unit = parts.group(2) == null ? "B" : parts.group(2).toUpperCase(Locale.ROOT);
    BigDecimal bytes =
        new BigDecimal(parts.group(1)).multiply(factor(unit)).setScale(0, RoundingMode.HALF_UP);
    return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? Optional.empty()
        : Optional.of(bytes.longValueExact());
  }

  private static BigDecimal factor(String unit) {
    int power = "BKMGT".indexOf(unit.charAt(0));
    return BigDecimal.valueOf(unit.endsWith("IB") ? 1_024 : 1_000).pow(power);
  }

  /**
   * In the largest unit that leaves no fraction, which {@link #tryParse} reads as the same size.
   */
  public static String format(long bytes) {
    int unit = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.size() - 1);
    return (bytes >> (10 * unit)) + UNITS.get(unit);
  }

  /** Two or three digits, for people: {@code 900 B}, {@code 1.5 KiB}, {@code 121 MiB}. */
  public static String approximate(long bytes) {
    double rest = bytes;
    int unit = 0;
    while (rest >= 1_023.5 && unit < UNITS.size() - 1) {
      rest /= 1_024;
      unit++;
    }
    String format = unit > 0 && rest < 9.95 ? "%.1f %s" : "%.0f %s";
    return String.format(Locale.ROOT, format, rest, UNITS.get(unit));
  }
}
