package io.asynq4j.cli.dash.model;

import io.asynq4j.cli.dash.data.FetchResult;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** What happens to the dashboard, from whatever thread. Immutable. */
public sealed interface DashEvent {

  record Pressed(Key key) implements DashEvent {}

  record Resized(ScreenSize size) implements DashEvent {}

  /** The input has ended, as it does when the terminal is closed. */
  record Closed() implements DashEvent {}

  record Found(FetchResult batch) implements DashEvent {}

  record NotFound(String problem) implements DashEvent {}

  record Acted(String result, boolean isGood) implements DashEvent {}
}
