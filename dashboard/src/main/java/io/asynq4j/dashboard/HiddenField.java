package io.asynq4j.dashboard;

import java.util.Locale;

/** A part of tasks that the dashboard may be told never to show, nor to search in. */
public enum HiddenField {
  PAYLOAD,
  RESULT,
  HEADERS,
  ERROR;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
