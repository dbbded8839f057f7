package io.asynq4j.dashboard;

import java.util.Locale;

/** A part of tasks that the dashboard can be configured to hide, also from searches. */
public enum HiddenField {
  PAYLOAD,
  RESULT,
  HEADERS,
  ERROR;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
