package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All schedule entries. */
public record SchedulesView(
    ListPosition place,
    String search,
    @Nullable List<ScheduleSnapshot> schedules,
    @Nullable String nothing)
    implements ListView {

  private static final int OTHERS = 2;

  public static SchedulesView start() {
    return new SchedulesView(ListPosition.START, "", null, null);
  }

  @Override
  public String title() {
    return "Schedules";
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  public List<ScheduleSnapshot> list() {
    return ListView.matching(
        schedules,
        one -> SearchParser.contains(one.id() + " " + one.spec() + " " + one.taskType(), search));
  }

  public Optional<ScheduleSnapshot> schedule(String id) {
    return list().stream().filter(one -> one.id().equals(id)).findFirst();
  }

  @Override
  public List<String> keys() {
    return list().stream().map(ScheduleSnapshot::id).toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Schedules();
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    if (answer instanceof QueryResult.Schedules found) {
      return new SchedulesView(place, search, found.schedules(), null);
    } else if (answer instanceof QueryResult.Nothing none && none.wish().equals(wish(size))) {
      return new SchedulesView(place, search, null, none.why());
    }
    return this;
  }

  @Override
  public SchedulesView at(ListPosition newPlace) {
    return new SchedulesView(newPlace, search, schedules, nothing);
  }

  @Override
  public SchedulesView searching(String newSearch) {
    return new SchedulesView(place, newSearch, schedules, nothing);
  }
}
