package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.screen.ScreenSize;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A view with a list of which a row is selected. */
public sealed interface ListView extends View
    permits QueuesView, QueueView, ServersView, ServerView, SchedulesView, ScheduleView, RedisView {

  /** The keys of all rows, in their order. */
  List<String> keys();

  ListPosition place();

  ListView at(ListPosition place);

  /** How many rows are seen at once. */
  int rows(ScreenSize size);

  /** What rows have to match; empty for all. */
  String search();

  ListView searching(String search);

  default ListPosition placeNow(ScreenSize size) {
    return place().in(keys(), rows(size));
  }

  /** The key of the selected row. */
  default Optional<String> selected(ScreenSize size) {
    return keys().isEmpty() ? Optional.empty() : Optional.ofNullable(placeNow(size).key());
  }

  default ListView moved(int by, ScreenSize size) {
    return at(place().moved(by, keys(), rows(size)));
  }

  static <T> List<T> matching(@Nullable List<T> all, Predicate<T> wanted) {
    return all == null ? List.of() : all.stream().filter(wanted).toList();
  }
}
