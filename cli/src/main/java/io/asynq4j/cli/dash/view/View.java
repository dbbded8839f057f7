package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** A view: its data and the selected row. Immutable. */
public sealed interface View permits ListView, TextView {

  /** Short title. */
  String title();

  /** Data that the view needs. */
  Query wish(ScreenSize size);

  /** View with the fetched data; the same view if the data is for another one. */
  View with(QueryResult answer, ScreenSize size);
}
