package io.asynq4j.cli.dash.model;

import io.asynq4j.cli.dash.data.FetchResult;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** Event of the dashboard; may be sent from any thread. Immutable. */
public sealed interface DashEvent {

  record Pressed(Key key) implements DashEvent {}

  record Resized(ScreenSize size) implements DashEvent {}

  /** End of input, for example because the terminal was closed. */
  record Closed() implements DashEvent {}

  record Found(FetchResult batch) implements DashEvent {}

  record NotFound(String problem) implements DashEvent {}

  record Acted(String result, boolean isGood) implements DashEvent {}
}
