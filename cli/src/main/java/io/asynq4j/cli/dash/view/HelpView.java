package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.ScreenSize;
import java.util.List;

/** Help view with all keys. */
public record HelpView(int top) implements TextView {

  @Override
  public String title() {
    return "Help";
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Queues(List.of());
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    return this;
  }

  @Override
  public HelpView from(int newTop) {
    return new HelpView(newTop);
  }
}
