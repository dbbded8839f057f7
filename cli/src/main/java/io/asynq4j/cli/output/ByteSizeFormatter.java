package io.asynq4j.cli.output;

import java.util.Locale;

/** Sizes for people. */
public final class ByteSizeFormatter {

  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

  private ByteSizeFormatter() {}

  public static String of(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double size = bytes / 1024.0;
    int unit = 0;
    while (size >= 1024 && unit < UNITS.length - 1) {
      size /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, UNITS[unit]);
  }
}
