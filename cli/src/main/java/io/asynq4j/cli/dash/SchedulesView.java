package io.asynq4j.cli.dash;

import io.asynq4j.inspect.ScheduleSnapshot;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All entries of schedulers. */
record SchedulesView(
    Place place,
    String search,
    @Nullable List<ScheduleSnapshot> schedules,
    @Nullable String nothing)
    implements RowsView {

  private static final int OTHERS = 2;

  static SchedulesView start() {
    return new SchedulesView(Place.START, "", null, null);
  }

  @Override
  public String title() {
    return "Schedules";
  }

  @Override
  public int rows(Size size) {
    return size.list(OTHERS);
  }

  List<ScheduleSnapshot> list() {
    return RowsView.matching(
        schedules,
        one -> Search.contains(one.id() + " " + one.spec() + " " + one.taskType(), search));
  }

  Optional<ScheduleSnapshot> schedule(String id) {
    return list().stream().filter(one -> one.id().equals(id)).findFirst();
  }

  @Override
  public List<String> keys() {
    return list().stream().map(ScheduleSnapshot::id).toList();
  }

  @Override
  public Wish wish(Size size) {
    return new Wish.Schedules();
  }

  @Override
  public View with(Answer answer, Size size) {
    if (answer instanceof Answer.Schedules found) {
      return new SchedulesView(place, search, found.schedules(), null);
    } else if (answer instanceof Answer.Nothing none && none.wish().equals(wish(size))) {
      return new SchedulesView(place, search, null, none.why());
    }
    return this;
  }

  @Override
  public SchedulesView at(Place newPlace) {
    return new SchedulesView(newPlace, search, schedules, nothing);
  }

  @Override
  public SchedulesView searching(String newSearch) {
    return new SchedulesView(place, newSearch, schedules, nothing);
  }
}
