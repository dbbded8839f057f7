package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.ScreenSize;
import org.jspecify.annotations.Nullable;

/**
 * A task.
 *
 * @param nothing why there is no more data; null if there is
 */
public record TaskView(
    String queue,
    String id,
    int top,
    PayloadRenderer.Form form,
    QueryResult.@Nullable Task answer,
    @Nullable String nothing)
    implements TextView {

  public static TaskView of(String queue, String id) {
    return new TaskView(queue, id, 0, PayloadRenderer.Form.AUTO, null, null);
  }

  @Override
  public String title() {
    return queue + " › " + id;
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Task(queue, id);
  }

  @Override
  public View with(QueryResult found, ScreenSize size) {
    if (found instanceof QueryResult.Task task && task.wish().equals(wish(size))) {
      return new TaskView(queue, id, top, form, task, null);
    } else if (found instanceof QueryResult.Nothing none && none.wish().equals(wish(size))) {
      return new TaskView(queue, id, top, form, answer, none.why());
    }
    return this;
  }

  @Override
  public TaskView from(int newTop) {
    return new TaskView(queue, id, newTop, form, answer, nothing);
  }

  public TaskView as(PayloadRenderer.Form newForm) {
    return new TaskView(queue, id, top, newForm, answer, nothing);
  }
}
