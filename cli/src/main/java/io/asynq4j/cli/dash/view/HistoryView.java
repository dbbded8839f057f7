package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.ScreenSize;
import org.jspecify.annotations.Nullable;

/**
 * Daily counts of a queue.
 *
 * @param nothing why there is no data; null if there is
 */
public record HistoryView(
    String queue, int top, QueryResult.@Nullable History answer, @Nullable String nothing)
    implements TextView {

  /** As many days as Redis keeps. */
  private static final int DAYS = 90;

  public static HistoryView of(String queue) {
    return new HistoryView(queue, 0, null, null);
  }

  @Override
  public String title() {
    return queue + " › history";
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.History(queue, DAYS);
  }

  @Override
  public View with(QueryResult found, ScreenSize size) {
    if (found instanceof QueryResult.History history && history.wish().equals(wish(size))) {
      return new HistoryView(queue, top, history, null);
    } else if (found instanceof QueryResult.Nothing none && none.wish().equals(wish(size))) {
      return new HistoryView(queue, top, answer, none.why());
    }
    return this;
  }

  @Override
  public HistoryView from(int newTop) {
    return new HistoryView(queue, newTop, answer, nothing);
  }
}
