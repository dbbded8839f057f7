package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.Progress;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.RedisServerLocator;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.session.ClientSession;
import io.asynq4j.service.gearman.session.WorkerSession;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that wait for results. What workers of this gateway say is passed on at once, and so
 * is what other gateways tell of theirs; tasks that others execute are looked at, first after
 * milliseconds, then less and less often, by one thread for all of them on the same Redis server.
 * Thread-safe.
 */
public final class ResultNotifier {

  private static final Logger log = LoggerFactory.getLogger(ResultNotifier.class);

  /**
   * How long a result or a status waits for what its worker has said before, if that does not come:
   * messages are on their way for that long only while Redis is away or the machine is very busy.
   */
  private static final long FENCE_NANOS = Duration.ofSeconds(2).toNanos();

  /** With many who wait, each is looked at less often: so many nanos for each of them. */
  private static final long SHARE_NANOS = Duration.ofMillis(1).toNanos();

  private static final int MOST_AT_ONCE = 100;

  private static final class Awaited {
    private final long number;
    private final JobKey key;
    private final String handle;

    /**
     * Another number for each job that a client of this gateway hands in, so that the end of one is
     * not taken for that of the next; 0 = none has.
     */
    private long generation;

    /** As often as each has handed it in: gearman's clients wait for as many answers. */
    private final List<ClientSession> clients = new ArrayList<>();

    /** The same, of those who have not been told yet that it is in. */
    private final List<ClientSession> coming = new ArrayList<>();

    /** Handed in by a client that waits for it, so that nobody wants it when all have gone. */
    private boolean foreground;

    /** It is in Redis. */
    private boolean handedIn;

    /** A worker of this gateway has it. */
    private boolean here;

    /** Another gateway tells how it goes. */
    private boolean heard;

    /** How many messages other gateways have sent about it. */
    private long messages;

    /** All that another gateway has told of it, until it ended, has come. */
    private boolean fenced;

    /** A thread looks at it, or will. */
    private boolean lookedAt;

    private long pause;

    /** Changes only while it is not in the set that is sorted by it. */
    private long nextLook;

    private @Nullable Progress told;

    /** How it ended while some were coming. */
    private @Nullable Function<ClientSession, ByteBuffer> lastEnd;

    Awaited(long number, JobKey key, long pause) {
      this.number = number;
      this.pause = pause;
      this.nextLook = System.nanoTime() + pause;
      this.key = key;
      this.handle = key.handle();
    }
  }

  private final Inspector inspector;
  private final RedisServerLocator servers;
  private final EventLoop loop;
  private final long firstPauseNanos;
  private final long longestPauseNanos;
  private final Thread thread;

  /** By the server of a cluster. */
  private final KeyedBatchExecutor<String, Awaited> lanes;

  /** Servers at which the last look has failed. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  private volatile Consumer<JobKey> lookAfterAll = this::look;

  // All guarded by this.
  private final Map<JobKey, Awaited> awaited = new HashMap<>();
  private final Map<ClientSession, Set<JobKey>> byClient = new HashMap<>();
  private final TreeSet<Awaited> looks =
      new TreeSet<>(
          Comparator.comparingLong((Awaited each) -> each.nextLook)
              .thenComparingLong(each -> each.number));
  private long numbers;
  private long generations;
  private boolean closed;

  /**
   * @param lookInterval of a task of which nobody tells: first after a hundredth of it, in the end
   *     each time half of it has passed
   */
  public ResultNotifier(
      Inspector inspector, RedisServerLocator servers, EventLoop loop, Duration lookInterval) {
    this.inspector = inspector;
    this.servers = servers;
    this.loop = loop;
    this.firstPauseNanos = lookInterval.toNanos() / 100;
    this.longestPauseNanos = lookInterval.toNanos() / 2;
    this.thread = daemon(this::run);
    this.lanes =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(ResultNotifier::daemon, 1),
            (server, each) -> server,
            MOST_AT_ONCE,
            (server, some) -> some.forEach(each -> lookGuarded(server, each)));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-gearman-results");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to look.
   *
   * @param newLookAfterAll has {@link #look} called when all that other gateways have said before
   *     has come
   */
  public void start(Consumer<JobKey> newLookAfterAll) {
    this.lookAfterAll = newLookAfterAll;
    thread.start();
  }

  /**
   * A client is about to hand this in and will wait for it: nothing that is said of it from now on
   * is missed.
   */
  synchronized void coming(JobKey key, ClientSession client) {
    Awaited each = awaitedOf(key);
    each.coming.add(client);
    if (each.generation == 0 && each.clients.isEmpty() && !each.here) {
      // A worker may have it before anybody knows that it is in.
      each.generation = ++generations;
    }
    byClient.computeIfAbsent(client, any -> new HashSet<>()).add(key);
  }

  private Awaited awaitedOf(JobKey key) {
    Awaited each = awaited.get(key);
    if (each == null) {
      each = new Awaited(++numbers, key, firstPauseNanos);
      awaited.put(key, each);
      looks.add(each);
      notifyAll();
    }
    return each;
  }

  /** Somebody is about to look whether a job is under way: ends from now on are its ends. */
  synchronized void aboutToJoin(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.lastEnd = null;
    }
  }

  /** What a client has handed in has become a task, and he is its first client. */
  synchronized void created(JobKey key, ClientSession client) {
    Awaited each = awaitedOf(key);
    each.foreground = true;
    if (each.generation == 0 || !each.clients.isEmpty()) {
      each.generation = ++generations;
    }
    each.lastEnd = null;
    arrived(each, client);
  }

  /**
   * What a client has handed in is a task that was there already.
   *
   * @param asked where he was coming to
   * @param key where he is now
   */
  void joined(JobKey asked, JobKey key, ClientSession client) {
    Function<ClientSession, ByteBuffer> end;
    synchronized (this) {
      if (!asked.equals(key)) {
        forget(asked, client);
        coming(key, client);
      }
      Awaited each = awaitedOf(key);
      end = each.lastEnd;
      if (end == null) {
        if (each.clients.isEmpty() && !each.here) {
          each.generation = 0;
        }
        arrived(each, client);
      } else {
        forget(key, client);
      }
    }
    if (end != null) {
      tell(List.of(client), end);
    }
  }

  private void arrived(Awaited each, ClientSession client) {
    each.coming.remove(client);
    each.clients.add(client);
    each.handedIn = true;
  }

  /** Somebody who does not wait wants it too. */
  synchronized void wantedByOthers(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.foreground = false;
    }
  }

  /** What a client was about to hand in was refused. */
  synchronized void forget(JobKey key, ClientSession client) {
    Awaited each = awaited.get(key);
    if (each != null && each.coming.remove(client)) {
      removeIfIdle(each);
      unlessWaiting(each, client);
    }
  }

  private void removeIfIdle(Awaited each) {
    if (each.clients.isEmpty() && each.coming.isEmpty()) {
      awaited.remove(each.key);
      looks.remove(each);
    }
  }

  private void unlessWaiting(Awaited each, ClientSession client) {
    Set<JobKey> keys = byClient.get(client);
    if (keys != null
        && !each.clients.contains(client)
        && !each.coming.contains(client)
        && keys.remove(each.key)
        && keys.isEmpty()) {
      byClient.remove(client);
    }
  }

  /**
   * A client has gone. Returns the tasks that nobody wants any more. What he was just handing in is
   * dealt with when it is in: then he is gone once more.
   */
  public synchronized List<JobKey> gone(ClientSession client) {
    List<JobKey> unwanted = new ArrayList<>();
    for (JobKey key : Set.copyOf(byClient.getOrDefault(client, Set.of()))) {
      Awaited each = awaited.get(key);
      if (each != null && each.clients.removeIf(other -> other == client)) {
        if (each.clients.isEmpty() && each.coming.isEmpty() && each.foreground && !each.here) {
          unwanted.add(key);
        }
        removeIfIdle(each);
        unlessWaiting(each, client);
      }
    }
    return unwanted;
  }

  public synchronized int clients(JobKey key) {
    Awaited each = awaited.get(key);
    return each == null ? 0 : each.clients.size();
  }

  public synchronized boolean isWaiting(ClientSession client) {
    return byClient.containsKey(client);
  }

  /**
   * A worker of this gateway has it, and says how it goes. Returns what tells this job from the
   * next with the same key.
   */
  public synchronized long here(JobKey key) {
    Awaited each = awaited.get(key);
    if (each == null) {
      return 0;
    }
    each.here = true;
    return each.generation;
  }

  /** It is no longer here, and has not ended either. */
  public synchronized void elsewhere(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.here = false;
      lookIn(each, firstPauseNanos);
    }
  }

  /** Has a task looked at now: all that other gateways have said of it before has come. */
  public synchronized void look(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.fenced = true;
      lookIn(each, 0);
    }
  }

  private void lookIn(Awaited each, long nanos) {
    // Nothing when nobody waits for it any more.
    if (!looks.remove(each)) {
      return;
    }
    each.pause = firstPauseNanos;
    each.nextLook = System.nanoTime() + nanos;
    looks.add(each);
    notifyAll();
  }

  /** Something to be passed on while it runs. */
  public void pass(JobKey key, ByteBuffer packet) {
    tell(clientsOf(key), client -> packet.duplicate());
  }

  private synchronized List<ClientSession> clientsOf(JobKey key) {
    Awaited each = awaited.get(key);
    if (each == null) {
      return List.of();
    }
    List<ClientSession> all = new ArrayList<>(each.clients);
    // What is sent to them comes after the answer that they wait for.
    all.addAll(each.coming);
    return all;
  }

  /** The same from another gateway. */
  public void passFromElsewhere(JobKey key, ByteBuffer packet) {
    synchronized (this) {
      Awaited each = awaited.get(key);
      if (each == null || each.here) {
        return;
      }
      Progress progress = Packets.status(packet).map(JobStatus::progress).orElse(null);
      boolean known = !each.heard && progress != null && progress.equals(each.told);
      each.heard = true;
      each.messages++;
      if (known) {
        return;
      }
    }
    pass(key, packet);
  }

  /**
   * It has succeeded.
   *
   * @param generation as {@link #here} has said
   */
  public void completed(JobKey key, long generation, byte[] result) {
    end(key, generation, completion(key, result));
  }

  private static Function<ClientSession, ByteBuffer> completion(JobKey key, byte[] result) {
    ByteBuffer packet = Packets.of(PacketType.WORK_COMPLETE, key.handle(), result);
    return client -> packet.duplicate();
  }

  /**
   * It has failed for good.
   *
   * @param generation as {@link #here} has said
   * @param exception what its worker has said of it; null when nothing
   */
  public void failed(JobKey key, long generation, byte @Nullable [] exception) {
    end(key, generation, failure(key, exception));
  }

  private static Function<ClientSession, ByteBuffer> failure(
      JobKey key, byte @Nullable [] exception) {
    String handle = key.handle();
    return client ->
        exception != null && client.wantsExceptions()
            ? Packets.of(PacketType.WORK_EXCEPTION, handle, exception)
            : Packets.of(PacketType.WORK_FAIL, handle);
  }

  private void end(JobKey key, long generation, Function<ClientSession, ByteBuffer> packet) {
    List<ClientSession> told;
    synchronized (this) {
      Awaited each = awaited.get(key);
      if (each == null) {
        return;
      }
      if (each.generation != generation && each.generation != 0) {
        // Another one has come in its place; or it was there before who is coming.
        each.lastEnd = packet;
        each.here = false;
        lookIn(each, firstPauseNanos);
        return;
      }
      told = List.copyOf(each.clients);
      each.clients.clear();
      removeIfIdle(each);
      Set.copyOf(told).forEach(client -> unlessWaiting(each, client));
      // Who is coming may have handed in the next one already.
      each.generation = 0;
      each.foreground = false;
      each.here = false;
      each.heard = false;
      each.fenced = false;
      each.handedIn = false;
      each.told = null;
      each.lastEnd = packet;
      each.pause = firstPauseNanos;
    }
    tell(told, packet);
  }

  private void tell(List<ClientSession> clients, Function<ClientSession, ByteBuffer> packet) {
    if (!clients.isEmpty()) {
      loop.execute(() -> clients.forEach(client -> client.send(packet.apply(client))));
    }
  }

  private void run() {
    try {
      Awaited next = next();
      while (next != null) {
        String server = servers.of(next.key.queue());
        if (server.isEmpty()) {
          lookGuarded(server, next);
        } else if (!lanes.add(server, next)) {
          looked(next);
        }
        next = next();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void lookGuarded(String server, Awaited each) {
    try {
      look(each);
      failing.remove(server);
    } catch (BrokerException e) {
      if (failing.add(server)) {
        log.warn("results for gearman clients cannot be looked for: {}", e.getMessage());
      }
    } catch (RuntimeException e) {
      log.error("the result of task {} cannot be looked for", each.key.id(), e);
    } finally {
      looked(each);
    }
  }

  private synchronized void looked(Awaited each) {
    each.lookedAt = false;
  }

  /** Waits for the next task that is to be looked at; null when closed. */
  private synchronized @Nullable Awaited next() throws InterruptedException {
    while (!closed) {
      long now = System.nanoTime();
      Awaited first = looks.isEmpty() ? null : looks.first();
      if (first == null) {
        wait();
      } else if (first.nextLook - now > 0) {
        wait(Math.max(1, (first.nextLook - now) / 1_000_000));
      } else {
        looks.remove(first);
        first.nextLook = now + first.pause;
        first.pause =
            Math.min(first.pause * 3 / 2, Math.max(longestPauseNanos, looks.size() * SHARE_NANOS));
        looks.add(first);
        if (first.handedIn && !first.here && !first.lookedAt) {
          first.lookedAt = true;
          return first;
        }
      }
    }
    return null;
  }

  private void look(Awaited each) {
    TaskInfo task;
    long generation;
    long messages;
    synchronized (this) {
      generation = each.generation;
      messages = each.messages;
    }
    try {
      task = inspector.task(each.key.queue(), each.key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      // Deleted, or it has succeeded without leaving a result: whoever waits must not take that
      // for a success with an empty one.
      if (hasHeardAll(each)) {
        end(each.key, generation, failure(each.key, null));
      }
      return;
    }
    if (!JobKey.hasEnded(task)) {
      goesOn(each, task, messages);
    } else if (hasHeardAll(each)) {
      end(each.key, generation, ending(each.key, task));
    }
  }

  /** Those who have waited for a task that was there until now are told how it has ended. */
  void ended(JobKey key, TaskInfo task) {
    long generation;
    synchronized (this) {
      Awaited each = awaited.get(key);
      generation = each == null ? 0 : each.generation;
    }
    end(key, generation, ending(key, task));
  }

  private static Function<ClientSession, ByteBuffer> ending(JobKey key, TaskInfo task) {
    return task.state() == TaskState.COMPLETED
        ? completion(key, task.result().bytes())
        : failure(key, said(task.lastError()));
  }

  /**
   * False when something that its worker has said before may still be on the way: then it is looked
   * at once more. And when a worker of this gateway has got it meanwhile, who tells himself.
   */
  private boolean hasHeardAll(Awaited each) {
    synchronized (this) {
      if (each.fenced || each.here) {
        return !each.here;
      }
      lookIn(each, FENCE_NANOS);
      // When nothing comes of that, the next look counts.
      each.fenced = true;
    }
    lookAfterAll.accept(each.key);
    return false;
  }

  private static byte @Nullable [] said(String error) {
    return error.isEmpty() || error.equals(WorkerSession.FAILED)
        ? null
        : error.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * @param messages how many had come when the look began: one that came since is about a later
   *     state of the task than this one
   */
  private void goesOn(Awaited each, TaskInfo task, long messages) {
    Progress progress = task.progress();
    synchronized (this) {
      // Whoever has it next may be one of whom no gateway tells.
      each.heard &= task.state() == TaskState.ACTIVE || each.messages != messages;
      if (progress == null || each.heard || progress.equals(each.told)) {
        each.fenced = false;
        return;
      }
    }
    if (!hasHeardAll(each)) {
      return;
    }
    synchronized (this) {
      each.fenced = false;
      if (each.heard) {
        return;
      }
      each.told = progress;
    }
    JobStatus status = JobStatus.of(progress);
    pass(
        each.key,
        Packets.of(
            PacketType.WORK_STATUS,
            each.handle,
            Packets.latin(status.numerator()),
            Packets.latin(status.denominator())));
  }

  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    lanes.close(Duration.ZERO);
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
