package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** What is shown, with what is known of it and which row is selected. Immutable. */
public sealed interface View permits ListView, TextView {

  /** Where one is, in a word or two. */
  String title();

  /** What has to be looked up for it. */
  Query wish(ScreenSize size);

  /** The same with what was found; itself when that is none of its business. */
  View with(QueryResult answer, ScreenSize size);
}
