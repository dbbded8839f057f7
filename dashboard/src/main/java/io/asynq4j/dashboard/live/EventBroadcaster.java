package io.asynq4j.dashboard.live;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.api.Problems;
import io.asynq4j.dashboard.auth.User;
import io.asynq4j.dashboard.search.BulkJob;
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
 * Everybody who watches a Redis live. What changed is written down once for all who may see the
 * same, and handed to each. Thread-safe.
 */
public final class EventBroadcaster implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

  private static final int MOST = 1_000;

  /** So that one user cannot take the places of all others. */
  public static final int MOST_PER_USER = 100;

  private static final Duration PULSE = Duration.ofSeconds(10);

  /** Browsers come back by themselves; then they are asked again who they are. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final RedisInstance source;

  /** Used by the pulse only. */
  private boolean isFailing;

  private final Set<EventStream> streams = new LinkedHashSet<>();
  private final ScheduledExecutorService pulse =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "asynq-dashboard-pulse");
            thread.setDaemon(true);
            return thread;
          });

  EventBroadcaster(RedisInstance source) {
    this(source, PULSE);
  }

  EventBroadcaster(RedisInstance source, Duration every) {
    SafeLog.prepare();
    this.source = source;
    var unused =
        pulse.scheduleWithFixedDelay(
            this::beat, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  synchronized boolean isWatched() {
    return !streams.isEmpty();
  }

  /** Takes a request over; it is told everything from now on. */
  public void open(AsyncContext context, User user) {
    EventStream stream = new EventStream(context, user, this::gone);
    synchronized (this) {
      if (streams.size() >= MOST) {
        throw Problems.busy(
            "Too many open live streams on this dashboard. Close a page, or poll the API instead.");
      }
      long own =
          streams.stream().filter(each -> Objects.equals(each.user().name(), user.name())).count();
      if (own >= MOST_PER_USER) {
        throw Problems.busy(
            "You already have %d open live streams. Close a page, or poll the API instead."
                .formatted(MOST_PER_USER));
      }
      streams.add(stream);
      stream.begin();
      stream.send(message("snapshot", snapshot(source.watch().last(), user.grant())));
    }
    source.watch().hurry();
  }

  private JsonFields snapshot(RedisSnapshot snapshot, Grant grant) {
    return new JsonFields()
        .put("overview", source.overview().of(snapshot, grant).map())
        .put("queues", snapshot.visible(grant).stream().map(row -> row.fields().map()).toList());
  }

  /** Tells everybody what a look has shown. */
  synchronized void changed(RedisSnapshot before, RedisSnapshot now) {
    if (streams.isEmpty()) {
      return;
    }
    List<QueueRow> different = new ArrayList<>();
    now.queues().values().stream()
        .filter(row -> !row.looksLike(before.queues().get(row.name())))
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

  /** Tells those who may know of a job how far it is. */
  void jobWentOn(BulkJob job) {
    tell(message("job", job.fields()), user -> job.isVisibleTo(user));
  }

  private synchronized void tell(byte[] message, Predicate<User> whom) {
    for (EventStream stream : List.copyOf(streams)) {
      if (whom.test(stream.user())) {
        stream.send(message);
      }
    }
  }

  private static byte[] message(String event, JsonFields data) {
    // JSON has no line ends of its own, so that it is one line of data.
    return ("event: " + event + "\ndata: " + Json.text(data.map()) + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Throws nothing, which would end the pulse. Logs the first of several failures in a row. */
  private void beat() {
    Throwable failure = null;
    try {
      List<EventStream> all;
      synchronized (this) {
        all = List.copyOf(streams);
      }
      for (EventStream stream : all) {
        try {
          beat(stream);
        } catch (Throwable e) {
          failure = e;
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
    if (failure != null && !isFailing) {
      SafeLog.error(
          log, "dashboard: sending keep-alives to live streams failed; it is retried", failure);
    }
    isFailing = failure != null;
  }

  private static void beat(EventStream stream) {
    if (stream.age().compareTo(LONGEST) > 0) {
      stream.end();
    } else {
      stream.send(": \n\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  private synchronized void gone(EventStream stream) {
    streams.remove(stream);
  }

  @Override
  public void close() {
    pulse.shutdownNow();
    List<EventStream> all;
    synchronized (this) {
      all = List.copyOf(streams);
    }
    all.forEach(EventStream::end);
  }
}
