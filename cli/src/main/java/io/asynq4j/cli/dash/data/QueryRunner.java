package io.asynq4j.cli.dash.data;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs queries at a cost that does not grow with the number of queues or tasks. Per refresh it
 * reads one page of tasks, the visible queues, and as many other queues, in turn, as fit into a
 * short time. Not thread-safe.
 */
public final class QueryRunner {

  /** Limits per refresh for queues that are not visible: time and number. */
  private static final long OTHERS_NANOS = Duration.ofMillis(100).toNanos();

  private static final int MOST_OTHERS = 200;

  /** Above this number of names, the list of names is not read in every refresh. */
  private static final int MANY_NAMES = 1_000;

  private static final Duration SELDOM = Duration.ofSeconds(5);
  private static final Duration MEMORY_AGE = Duration.ofSeconds(15);
  private static final int MOST_MEMORY_LOOKS = 5;

  /** Number of tasks that a search examines before it shows a page. */
  static final int SEARCH_STEP = 10_000;

  private final RedisConnection redis;
  private final Inspector inspector;
  private final TrendTracker trends;

  private List<String> names = List.of();
  private final Timer namesAge = new Timer();
  private final Map<String, QueueRow> rows = new TreeMap<>();
  private final Map<String, Timer> memoryAges = new TreeMap<>();
  private int turn;

  private QueryResult.@Nullable Groups groups;
  private final Timer groupsAge = new Timer();
  private QueryResult.@Nullable Tasks found;
  private QueryResult.@Nullable Task explained;
  private final Timer explainedAge = new Timer();
  private QueryResult.@Nullable History history;
  private final Timer historyAge = new Timer();

  /** A value and the time it was loaded. */
  private static final class Timer {
    private long since;
    private boolean isSet;

    void set() {
      since = System.nanoTime();
      isSet = true;
    }

    boolean isOver(Duration age) {
      return !isSet || System.nanoTime() - since >= age.toNanos();
    }
  }

  public QueryRunner(RedisConnection redis, Duration interval) {
    this.redis = redis;
    this.inspector = Inspector.create(redis);
    this.trends = new TrendTracker(interval);
  }

  /** Discards cached values. */
  public void forget() {
    found = null;
    groups = null;
    explained = null;
    history = null;
    memoryAges.clear();
    names = List.of();
  }

  /**
   * Runs one refresh.
   *
   * @param isStale checked between steps; true cancels a query that is no longer needed
   */
  public FetchResult look(Query wish, BooleanSupplier isStale) {
    Duration ping = redis.ping();
    QueryResult answer = wish instanceof Query.Queues ? null : answer(wish, isStale);
    QueryResult.Overview overview = overview(visible(wish), isStale);
    return new FetchResult(overview, answer, redis.clock().instant(), ping);
  }

  private static Set<String> visible(Query wish) {
    if (wish instanceof Query.Queues queues) {
      return new LinkedHashSet<>(queues.visible());
    } else if (wish instanceof Query.Tasks tasks) {
      return Set.of(tasks.queue());
    } else if (wish instanceof Query.Groups groups) {
      return Set.of(groups.queue());
    } else if (wish instanceof Query.History history) {
      return Set.of(history.queue());
    }
    return Set.of();
  }

  // ---- queues

  private QueryResult.Overview overview(Set<String> visible, BooleanSupplier isStale) {
    refreshNames();
    int memoryLooks = 0;
    for (String name : visible) {
      if (rows.containsKey(name)) {
        boolean looksAtMemory =
            memoryLooks < MOST_MEMORY_LOOKS
                && memoryAges.computeIfAbsent(name, n -> new Timer()).isOver(MEMORY_AGE);
        memoryLooks += looksAtMemory ? 1 : 0;
        lookAt(name, /* isVisible= */ true, looksAtMemory);
      }
    }
    long began = System.nanoTime();
    for (int i = 0;
        i < Math.min(MOST_OTHERS, names.size())
            && System.nanoTime() - began < OTHERS_NANOS
            && !isStale.getAsBoolean();
        i++) {
      turn = (turn + 1) % names.size();
      if (!visible.contains(names.get(turn))) {
        lookAt(names.get(turn), /* isVisible= */ false, /* looksAtMemory= */ false);
      }
    }
    List<QueueRow> all = List.copyOf(rows.values());
    return new QueryResult.Overview(all, totals(all));
  }

  private void refreshNames() {
    if (names.size() < MANY_NAMES || namesAge.isOver(SELDOM)) {
      Set<String> now = inspector.queues();
      names = List.copyOf(now);
      namesAge.set();
      rows.keySet().retainAll(now);
      memoryAges.keySet().retainAll(now);
      trends.retain(now);
      names.forEach(name -> rows.computeIfAbsent(name, QueueRow::unseen));
    }
  }

  private void lookAt(String name, boolean isVisible, boolean looksAtMemory) {
    QueueRow before = rows.getOrDefault(name, QueueRow.unseen(name));
    try {
      QueueSnapshot snapshot = inspector.queue(name).snapshot();
      long memory = before.memory();
      if (looksAtMemory) {
        memory = inspector.queue(name).memoryUsage().orElse(QueueRow.UNKNOWN);
        memoryAges.computeIfAbsent(name, n -> new Timer()).set();
      }
      rows.put(name, new QueueRow(name, snapshot, memory, trends.add(snapshot, isVisible), null));
    } catch (QueueNotFoundException e) {
      rows.remove(name);
    } catch (BrokerRefusedException | IllegalArgumentException e) {
      // A broken queue only affects its own row.
      rows.put(
          name,
          new QueueRow(name, null, QueueRow.UNKNOWN, Trend.NONE, String.valueOf(e.getMessage())));
    }
  }

  private QueueTotals totals(List<QueueRow> all) {
    Map<TaskState, Long> sizes = new EnumMap<>(TaskState.class);
    int seen = 0;
    double rate = 0;
    double latency = 0;
    for (QueueRow row : all) {
      if (row.snapshot() != null) {
        seen++;
        row.snapshot().sizes().forEach((state, size) -> sizes.merge(state, size, Long::sum));
        rate += row.trend().rate();
        latency = Math.max(latency, row.snapshot().latency().toMillis() / 1000.0);
      }
    }
    Trend trend = trends.addTotal(redis.clock().instant(), rate, latency);
    return new QueueTotals(all.size(), seen, sizes, rate, trend);
  }

  // ---- everything else

  private QueryResult answer(Query wish, BooleanSupplier isStale) {
    try {
      if (wish instanceof Query.Tasks tasks) {
        return tasks(tasks, isStale);
      } else if (wish instanceof Query.Groups wanted) {
        return groups(wanted);
      } else if (wish instanceof Query.Task task) {
        return task(task);
      } else if (wish instanceof Query.History past) {
        return history(past);
      } else if (wish instanceof Query.Servers) {
        return new QueryResult.Servers(inspector.servers());
      } else if (wish instanceof Query.Schedules) {
        return new QueryResult.Schedules(inspector.schedules());
      } else if (wish instanceof Query.Events events) {
        return new QueryResult.Events(
            events,
            inspector.schedules().stream()
                .filter(one -> one.id().equals(events.entry()))
                .findFirst()
                .orElse(null),
            inspector.scheduleHistory(events.entry(), events.offset(), events.limit()));
      }
      return new QueryResult.Redis(inspector.redisInfo());
    } catch (QueueNotFoundException
        | TaskNotFoundException
        | ScheduleNotFoundException
        | TaskStateException
        | BrokerRefusedException
        | IllegalArgumentException e) {
      return new QueryResult.Nothing(wish, String.valueOf(e.getMessage()));
    }
  }

  private QueryResult tasks(Query.Tasks wish, BooleanSupplier isStale) {
    if (!wish.search().isEmpty()) {
      if (found != null && found.wish().equals(wish)) {
        return found;
      }
      QueryResult.Tasks answer = search(wish, isStale);
      // A cancelled query is incomplete.
      found = isStale.getAsBoolean() ? null : answer;
      return answer;
    }
    PageRequest page =
        PageRequest.at((int) Math.min(Integer.MAX_VALUE, wish.offset()), wish.limit());
    TaskPage tasks =
        wish.group() == null
            ? inspector.queue(wish.queue()).tasks(wish.state(), page)
            : inspector.queue(wish.queue()).groupTasks(wish.group(), page);
    return new QueryResult.Tasks(
        wish,
        tasks.tasks(),
        tasks.unreadable(),
        tasks.total(),
        tasks.cursor(),
        0,
        redis.clock().instant());
  }

  private QueryResult.Tasks search(Query.Tasks wish, BooleanSupplier isStale) {
    Selection selection = inspector.queue(wish.queue()).select(wish.state());
    if (wish.group() != null) {
      selection = selection.inGroup(wish.group());
    }
    TaskPage page =
        selection
            .where(SearchParser.parse(wish.search()))
            .after(wish.cursor())
            .lookAtMost(SEARCH_STEP)
            .stopWhen(isStale)
            .find(wish.limit());
    return new QueryResult.Tasks(
        wish,
        page.tasks(),
        List.of(),
        page.total(),
        page.cursor(),
        page.looked(),
        redis.clock().instant());
  }

  private QueryResult groups(Query.Groups wish) {
    QueryResult.Groups known = groups;
    if (known == null
        || !known.wish().equals(wish)
        || known.groups().size() < MANY_NAMES
        || groupsAge.isOver(SELDOM)) {
      List<QueryResult.Group> list = new ArrayList<>();
      inspector
          .queue(wish.queue())
          .groups()
          .forEach((name, size) -> list.add(new QueryResult.Group(name, size)));
      known = new QueryResult.Groups(wish, list);
      groups = known;
      groupsAge.set();
    }
    return known;
  }

  /** Only the first line changes over time. */
  private QueryResult history(Query.History wish) {
    QueryResult.History known = history;
    if (known == null || !known.wish().equals(wish) || historyAge.isOver(SELDOM)) {
      known = new QueryResult.History(wish, inspector.queue(wish.queue()).history(wish.days()));
      history = known;
      historyAge.set();
    }
    return known;
  }

  /** The explanation costs more than the task, so it is reloaded at intervals and on changes. */
  private QueryResult task(Query.Task wish) {
    TaskInfo task = inspector.queue(wish.queue()).task(wish.id());
    QueryResult.Task known = explained;
    if (known != null
        && known.wish().equals(wish)
        && known.task().state() == task.state()
        && !explainedAge.isOver(SELDOM)) {
      return new QueryResult.Task(wish, task, known.why());
    }
    QueryResult.Task answer =
        new QueryResult.Task(wish, task, inspector.queue(wish.queue()).explain(wish.id()).text());
    explained = answer;
    explainedAge.set();
    return answer;
  }
}
