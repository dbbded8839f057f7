package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.config.RedactionRule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What a dashboard shows of tasks: {@code Dashboard.builder(redis).contents(c ->
 * c.redact("$..password"))}. Not thread-safe.
 */
public final class DashboardContents {

  final Set<HiddenField> hidden = EnumSet.noneOf(HiddenField.class);
  final List<RedactionRule> redactions = new ArrayList<>();
  final List<PayloadFormatter> payloadFormatters = new ArrayList<>();
  final List<PayloadFormatter> resultFormatters = new ArrayList<>();

  DashboardContents() {}

  /** Hides a field of all tasks. Searches cannot use it either. */
  public DashboardContents hide(HiddenField field) {
    hidden.add(field);
    return this;
  }

  /**
   * Redacts a path in JSON payloads and results, such as {@code $.card.number}, {@code
   * $.users[*].token} or {@code $..password}. Searches cannot use it either. Payloads and results
   * that are not JSON are hidden.
   */
  public DashboardContents redact(String path) {
    return redact("*", path);
  }

  /**
   * Redacts a path for some task types only.
   *
   * @param type task type, in which {@code *} matches any characters
   */
  public DashboardContents redact(String type, String path) {
    redactions.add(RedactionRule.of(type, path));
    return this;
  }

  /** Adds a formatter for payloads. The first formatter that returns a text is used. */
  public DashboardContents payloadFormatter(PayloadFormatter formatter) {
    payloadFormatters.add(Objects.requireNonNull(formatter, "formatter"));
    return this;
  }

  /** Adds a formatter for results. The first formatter that returns a text is used. */
  public DashboardContents resultFormatter(PayloadFormatter formatter) {
    resultFormatters.add(Objects.requireNonNull(formatter, "formatter"));
    return this;
  }
}
