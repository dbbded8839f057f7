package io.asynq4j.dashboard.internal.search;

import io.asynq4j.TaskInfo;
import io.asynq4j.http.Sha256;
import io.asynq4j.internal.text.TextExcerpt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fingerprint of a failure: a hash of the task type and of the error without its variable
 * parts, such as numbers and IDs.
 */
public final class FailureFingerprint {

  private static final int LOOKED_AT = 2_000;
  private static final int LONGEST = 300;

  private static final Pattern TIME =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?)?");
  private static final Pattern UUID =
      Pattern.compile(
          "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'|`[^`]*`");
  private static final Pattern HEX =
      Pattern.compile(
          "\\b0x[0-9a-fA-F]+\\b|@[0-9a-f]{5,}\\b|\\b(?=[a-fA-F]*\\d)[0-9a-fA-F]{8,}\\b");

  /**
   * The full name of a class, such as io.asynq4j.BrokerException, is not variable. It has at least
   * two packages; user42.Smith and img_0001.Jpg are no classes. Nor is a name without lower-case
   * letters after the last dot, such as backup.v2.JPG.
   */
  private static final Pattern CLASS_OR_NUMBER =
      Pattern.compile("\\b((?:[a-z][a-z0-9_]*+\\.){2,}+[A-Z][A-Z0-9_]*+[a-z]\\w*+)|\\d++");

  private static final Pattern BLANK = Pattern.compile("\\s+");

  private FailureFingerprint() {}

  /** Returns null for a task that has not failed. */
  public static @Nullable String of(TaskInfo task) {
    return task.lastError().isEmpty() ? null : of(task.type(), normalised(task.lastError()));
  }

  static String of(String type, String normalised) {
    return Sha256.hex(type + "\n" + normalised).substring(0, 12);
  }

  static String normalised(String error) {
    String text = TextExcerpt.of(error.strip(), LOOKED_AT);
    int lineEnd = text.indexOf('\n');
    if (lineEnd > 0) {
      text = text.substring(0, lineEnd);
    }
    text = TIME.matcher(text).replaceAll("<time>");
    text = UUID.matcher(text).replaceAll("<id>");
    text = QUOTED.matcher(text).replaceAll("<text>");
    text = HEX.matcher(text).replaceAll("<hex>");
    text =
        CLASS_OR_NUMBER
            .matcher(text)
            .replaceAll(
                found -> found.group(1) == null ? "<n>" : Matcher.quoteReplacement(found.group(1)));
    return TextExcerpt.of(BLANK.matcher(text).replaceAll(" ").strip(), LONGEST);
  }
}
