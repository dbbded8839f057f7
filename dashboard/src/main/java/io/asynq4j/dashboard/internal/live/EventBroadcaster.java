package io.asynq4j.dashboard.internal.live;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Json;
import io.asynq4j.http.JsonFields;
import io.asynq4j.internal.text.SafeLog;
import jakarta.servlet.AsyncContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open event streams of a Redis. A change is encoded once for all users with the same
 * permissions, and sent to each of their streams. Thread-safe.
 */
public final class EventBroadcaster implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

  private static final String NO_KEEP_ALIVES =
      SafeLog.text("dashboard: sending keep-alives to live streams failed; it is retried");

  private static final int MAX_STREAMS = 1_000;

  /** Limit that prevents one user from using up all streams. */
  public static final int MAX_PER_USER = 100;

  private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(10);

  /** Maximum age of a stream. Browsers reconnect, which checks their credentials again. */
  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  private final RedisInstance source;

  /** Used only by the keep-alive thread. */
  private boolean isFailing;

  private final Set<EventStream> streams = new LinkedHashSet<>();
  private final ScheduledExecutorService keepAlive =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "asynq-dashboard-keep-alive");
            thread.setDaemon(true);
            return thread;
          });

  EventBroadcaster(RedisInstance source) {
    this(source, KEEP_ALIVE_INTERVAL);
  }

  EventBroadcaster(RedisInstance source, Duration every) {
    SafeLog.prepare();
    this.source = source;
    var unused =
        keepAlive.scheduleWithFixedDelay(
            this::sendKeepAlives, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  synchronized boolean hasViewers() {
    return !streams.isEmpty();
  }

  /** Turns a request into an event stream that starts with a snapshot. */
  public void open(AsyncContext context, User user) {
    EventStream stream = new EventStream(context, user, this::remove);
    synchronized (this) {
      if (streams.size() >= MAX_STREAMS) {
        throw Problems.busy(
            "Too many open live streams on this dashboard. Close a page, or poll the API instead.");
      }
      long own =
          streams.stream().filter(each -> Objects.equals(each.user().name(), user.name())).count();
      if (own >= MAX_PER_USER) {
        throw Problems.busy(
            "You already have %d open live streams. Close a page, or poll the API instead."
                .formatted(MAX_PER_USER));
      }
      streams.add(stream);
      stream.start();
      stream.send(message("snapshot", snapshot(source.poller().last(), user.grant())));
    }
    source.poller().pollSoon();
  }

  private JsonFields snapshot(RedisSnapshot snapshot, Grant grant) {
    return new JsonFields()
        .put("overview", source.overview().of(snapshot, grant).map())
        .put("queues", snapshot.visible(grant).stream().map(row -> row.fields().map()).toList());
  }

  /** Sends the difference between two snapshots to all streams. */
  synchronized void sendChanges(RedisSnapshot before, RedisSnapshot now) {
    if (streams.isEmpty()) {
      return;
    }
    List<QueueRow> different = new ArrayList<>();
    now.queues().values().stream()
        .filter(row -> !row.isSameExceptTime(before.queues().get(row.name())))
        .forEach(different::add);
    List<String> removed =
        before.queues().keySet().stream().filter(name -> !now.queues().containsKey(name)).toList();
    Map<List<String>, byte[]> byQueues = new HashMap<>();
    for (EventStream stream : List.copyOf(streams)) {
      Grant grant = stream.user().grant();
      stream.send(
          byQueues.computeIfAbsent(grant.queues(), any -> change(now, different, removed, grant)));
    }
  }

  private byte[] change(
      RedisSnapshot now, List<QueueRow> different, List<String> removed, Grant grant) {
    return message(
        "change",
        new JsonFields()
            .put("overview", source.overview().of(now, grant).map())
            .put(
                "queues",
                different.stream()
                    .filter(row -> grant.sees(row.name()))
                    .map(row -> row.fields().map())
                    .toList())
            .put("removed", removed.stream().filter(grant::sees).toList()));
  }

  /**
   * Sends an event to the users that may see it.
   *
   * @param isVisible whether a user may see it
   */
  public void send(String event, JsonFields data, Predicate<User> isVisible) {
    byte[] message = message(event, data);
    synchronized (this) {
      for (EventStream stream : List.copyOf(streams)) {
        if (isVisible.test(stream.user())) {
          stream.send(message);
        }
      }
    }
  }

  private static byte[] message(String event, JsonFields data) {
    // The JSON contains no line breaks, so it fits in one data line.
    return ("event: " + event + "\ndata: " + Json.text(data.map()) + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Never throws, because that would cancel the periodic task. Logs only the first of several
   * failures in a row.
   */
  private void sendKeepAlives() {
    Throwable failure = null;
    try {
      List<EventStream> all;
      synchronized (this) {
        all = List.copyOf(streams);
      }
      for (EventStream stream : all) {
        try {
          sendKeepAlive(stream);
        } catch (Throwable e) {
          failure = e;
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
    if (failure != null && !isFailing) {
      SafeLog.error(log, NO_KEEP_ALIVES, failure);
    }
    isFailing = failure != null;
  }

  private static void sendKeepAlive(EventStream stream) {
    if (stream.age().compareTo(MAX_AGE) > 0) {
      stream.end();
    } else {
      stream.send(": \n\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  private synchronized void remove(EventStream stream) {
    streams.remove(stream);
  }

  @Override
  public void close() {
    keepAlive.shutdownNow();
    List<EventStream> all;
    synchronized (this) {
      all = List.copyOf(streams);
    }
    all.forEach(EventStream::end);
  }
}
