package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.screen.ScreenSize;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A view with a list and a selected row. */
public sealed interface ListView extends View
    permits QueuesView, QueueView, ServersView, ServerView, SchedulesView, ScheduleView, RedisView {

  /** Keys of all rows, in order. */
  List<String> keys();

  ListPosition place();

  ListView at(ListPosition place);

  /** Number of visible rows. */
  int rows(ScreenSize size);

  /** Text that rows must match; empty for all rows. */
  String search();

  ListView searching(String search);

  default ListPosition placeNow(ScreenSize size) {
    return place().in(keys(), rows(size));
  }

  /** Key of the selected row. */
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
