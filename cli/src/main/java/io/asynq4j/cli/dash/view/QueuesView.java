package io.asynq4j.cli.dash.view;

import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.QueueRow;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All queues. */
public record QueuesView(
    ListPosition place,
    String search,
    Sort sort,
    Only only,
    QueryResult.@Nullable Overview overview)
    implements ListView {

  /** Sort order of queues. */
  public enum Sort {
    NAME,
    SIZE,
    LATENCY,
    RATE,
    FAILED;

    public Sort next() {
      return switch (this) {
        case NAME -> SIZE;
        case SIZE -> LATENCY;
        case LATENCY -> RATE;
        case RATE -> FAILED;
        case FAILED -> NAME;
      };
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Filter of queues. */
  public enum Only {
    ALL,
    BUSY,
    PAUSED,
    FAILING;

    public Only next() {
      return switch (this) {
        case ALL -> BUSY;
        case BUSY -> PAUSED;
        case PAUSED -> FAILING;
        case FAILING -> ALL;
      };
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    boolean wants(QueueRow row) {
      QueueSnapshot snapshot = row.snapshot();
      return switch (this) {
        case ALL -> true;
        case BUSY ->
            snapshot != null
                && snapshot.size(TaskState.PENDING) + snapshot.size(TaskState.ACTIVE) > 0;
        case PAUSED -> row.isPaused();
        case FAILING ->
            row.problem() != null
                || (snapshot != null
                    && (snapshot.failedToday() > 0 || snapshot.size(TaskState.RETRY) > 0));
      };
    }
  }

  private static final int OTHERS = 3;
  static final int PANEL = 5;
  static final int HEIGHT_WITH_PANEL = 20;

  public static QueuesView start() {
    return new QueuesView(ListPosition.START, "", Sort.NAME, Only.ALL, null);
  }

  @Override
  public String title() {
    return "Queues";
  }

  public static boolean hasPanel(ScreenSize size) {
    return size.height() >= HEIGHT_WITH_PANEL;
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS + (hasPanel(size) ? PANEL : 0));
  }

  public List<QueueRow> list() {
    if (overview == null) {
      return List.of();
    }
    Stream<QueueRow> wanted =
        overview.rows().stream()
            .filter(only::wants)
            .filter(row -> SearchParser.contains(row.name(), search));
    return switch (sort) {
      case NAME -> wanted.toList();
      case SIZE -> wanted.sorted(by(QueueRow::size)).toList();
      case LATENCY -> wanted.sorted(by(QueuesView::latency)).toList();
      case RATE -> wanted.sorted(by(row -> (long) (1000 * row.trend().rate()))).toList();
      case FAILED -> wanted.sorted(by(QueuesView::failed)).toList();
    };
  }

  private static Comparator<QueueRow> by(ToLongFunction<QueueRow> figure) {
    return Comparator.comparingLong(figure).reversed();
  }

  @Override
  public List<String> keys() {
    return list().stream().map(QueueRow::name).toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    List<String> keys = keys();
    int top = Math.min(placeNow(size).top(), keys.size());
    return new Query.Queues(keys.subList(top, Math.min(keys.size(), top + rows(size))));
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    return answer instanceof QueryResult.Overview found
        ? new QueuesView(place, search, sort, only, found)
        : this;
  }

  @Override
  public QueuesView at(ListPosition newPlace) {
    return new QueuesView(newPlace, search, sort, only, overview);
  }

  @Override
  public QueuesView searching(String newSearch) {
    return new QueuesView(place, newSearch, sort, only, overview);
  }

  public QueuesView sortedBy(Sort newSort) {
    return new QueuesView(ListPosition.START, search, newSort, only, overview);
  }

  public QueuesView showing(Only newOnly) {
    return new QueuesView(ListPosition.START, search, sort, newOnly, overview);
  }

  private static long latency(QueueRow row) {
    return row.snapshot() == null ? 0 : row.snapshot().latency().toMillis();
  }

  private static long failed(QueueRow row) {
    return row.snapshot() == null ? 0 : row.snapshot().failedToday();
  }
}
