package io.asynq4j.cli.dash;

import java.util.List;

/** The keys. */
record HelpView(int top) implements TextView {

  @Override
  public String title() {
    return "Help";
  }

  @Override
  public Wish wish(Size size) {
    return new Wish.Queues(List.of());
  }

  @Override
  public View with(Answer answer, Size size) {
    return this;
  }

  @Override
  public HelpView from(int newTop) {
    return new HelpView(newTop);
  }
}
