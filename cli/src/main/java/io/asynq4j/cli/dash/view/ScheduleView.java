package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A schedule entry and the tasks it has enqueued. */
public record ScheduleView(
    String id, int offset, ListPosition place, QueryResult.@Nullable Events answer)
    implements ListView {

  private static final int OTHERS = 9;

  public static ScheduleView of(String id) {
    return new ScheduleView(id, 0, ListPosition.START, null);
  }

  @Override
  public String title() {
    return "schedule › " + id;
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  @Override
  public List<String> keys() {
    return answer == null
        ? List.of()
        : answer.events().stream().map(ScheduleEvent::taskId).toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Events(id, offset, rows(size));
  }

  @Override
  public View with(QueryResult found, ScreenSize size) {
    return found instanceof QueryResult.Events events && events.wish().equals(wish(size))
        ? new ScheduleView(id, offset, place, events)
        : this;
  }

  @Override
  public ScheduleView at(ListPosition newPlace) {
    return new ScheduleView(id, offset, newPlace, answer);
  }

  @Override
  public String search() {
    return "";
  }

  @Override
  public ScheduleView searching(String newSearch) {
    return this;
  }

  public ScheduleView page(int by, ScreenSize size) {
    boolean isLast = answer == null || answer.events().size() < rows(size);
    return by > 0 && isLast
        ? this
        : new ScheduleView(id, Math.max(0, offset + by * rows(size)), ListPosition.START, answer);
  }
}
