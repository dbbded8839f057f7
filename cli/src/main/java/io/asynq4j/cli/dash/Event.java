package io.asynq4j.cli.dash;

/** What happens to the dashboard, from whatever thread. Immutable. */
sealed interface Event {

  record Pressed(Key key) implements Event {}

  record Resized(ScreenSize size) implements Event {}

  /** The input has ended, as it does when the terminal is closed. */
  record Closed() implements Event {}

  record Found(FetchResult batch) implements Event {}

  record NotFound(String problem) implements Event {}

  record Acted(String result, boolean isGood) implements Event {}
}
