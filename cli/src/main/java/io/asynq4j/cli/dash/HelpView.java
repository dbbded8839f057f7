package io.asynq4j.cli.dash;

import java.util.List;

/** The keys. */
record HelpView(int top) implements TextView {

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
