package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.Progress;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that wait for results. What workers of this gateway say is passed on at once; tasks
 * that others execute are looked at, first after milliseconds, then less and less often, by one
 * thread for all of them. Thread-safe.
 */
final class Results {

  private static final Logger log = LoggerFactory.getLogger(Results.class);

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(10).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  /** With many who wait, each is looked at less often: so many nanos for each of them. */
  private static final long SHARE_NANOS = Duration.ofMillis(1).toNanos();

  private static final class Awaited {
    private final JobKey key;
    private final String handle;
    private final Set<ClientSide> clients = new LinkedHashSet<>();

    /** Handed in by a client that waits for it, so that nobody wants it when all have gone. */
    private boolean foreground;

    /** It is in Redis. */
    private boolean handedIn;

    /** A worker of this gateway has it. */
    private boolean here;

    private long pause = FIRST_PAUSE_NANOS;
    private long nextLook = System.nanoTime() + FIRST_PAUSE_NANOS;
    private @Nullable Progress told;

    Awaited(JobKey key) {
      this.key = key;
      this.handle = key.handle();
    }
  }

  private final Inspector inspector;
  private final EventLoop loop;
  private final Thread thread;

  // All guarded by this.
  private final Map<JobKey, Awaited> awaited = new HashMap<>();
  private final Map<ClientSide, Set<JobKey>> byClient = new HashMap<>();
  private final PriorityQueue<Awaited> looks =
      new PriorityQueue<>(Comparator.comparingLong((Awaited each) -> each.nextLook));
  private boolean closed;

  Results(Inspector inspector, EventLoop loop) {
    this.inspector = inspector;
    this.loop = loop;
    this.thread = new Thread(this::run, "asynq-gearman-results");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * A client waits for a task from now on, which may not be in Redis yet: so nothing that is said
   * of it is missed.
   *
   * @param foreground nobody else wants it
   */
  synchronized void await(JobKey key, ClientSide client, boolean foreground) {
    Awaited each = awaited.get(key);
    if (each == null) {
      each = new Awaited(key);
      each.foreground = foreground;
      awaited.put(key, each);
      looks.add(each);
      notifyAll();
    }
    each.clients.add(client);
    byClient.computeIfAbsent(client, any -> new HashSet<>()).add(key);
  }

  /**
   * What is awaited is in Redis, and can be looked at.
   *
   * @param shared it is the job of others too
   */
  synchronized void handedIn(JobKey key, boolean shared) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.handedIn = true;
      each.foreground &= !shared;
    }
  }

  /** A client does not wait for this any more. */
  synchronized void forget(JobKey key, ClientSide client) {
    Set<JobKey> keys = byClient.get(client);
    if (keys != null && keys.remove(key)) {
      if (keys.isEmpty()) {
        byClient.remove(client);
      }
      leave(key, client);
    }
  }

  /** A client has gone. Returns the tasks that nobody wants any more. */
  synchronized List<JobKey> gone(ClientSide client) {
    List<JobKey> unwanted = new ArrayList<>();
    Set<JobKey> keys = byClient.remove(client);
    if (keys != null) {
      for (JobKey key : keys) {
        Awaited each = leave(key, client);
        if (each != null && each.foreground && !each.here) {
          unwanted.add(key);
        }
      }
    }
    return unwanted;
  }

  /** Returns what nobody waits for any more. */
  private @Nullable Awaited leave(JobKey key, ClientSide client) {
    Awaited each = awaited.get(key);
    if (each == null || !each.clients.remove(client) || !each.clients.isEmpty()) {
      return null;
    }
    awaited.remove(key);
    looks.remove(each);
    return each;
  }

  synchronized int clients(JobKey key) {
    Awaited each = awaited.get(key);
    return each == null ? 0 : each.clients.size();
  }

  synchronized boolean isWaiting(ClientSide client) {
    return byClient.containsKey(client);
  }

  /** A worker of this gateway has it, and says how it goes. */
  synchronized void here(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.here = true;
    }
  }

  /** It is no longer here, and has not ended either. */
  synchronized void elsewhere(JobKey key) {
    Awaited each = awaited.get(key);
    if (each != null) {
      each.here = false;
      each.pause = FIRST_PAUSE_NANOS;
    }
  }

  /** Something to be passed on while it runs. */
  void pass(JobKey key, ByteBuffer packet) {
    tell(clientsOf(key), client -> packet.duplicate());
  }

  private synchronized List<ClientSide> clientsOf(JobKey key) {
    Awaited each = awaited.get(key);
    return each == null ? List.of() : List.copyOf(each.clients);
  }

  void completed(JobKey key, byte[] result) {
    ByteBuffer packet = Packets.of(Command.WORK_COMPLETE, key.handle(), result);
    tell(end(key), client -> packet.duplicate());
  }

  /**
   * It has failed for good.
   *
   * @param exception what its worker has said of it; null when nothing
   */
  void failed(JobKey key, byte @Nullable [] exception) {
    String handle = key.handle();
    tell(
        end(key),
        client ->
            exception != null && client.wantsExceptions()
                ? Packets.of(Command.WORK_EXCEPTION, handle, exception)
                : Packets.of(Command.WORK_FAIL, handle));
  }

  private synchronized List<ClientSide> end(JobKey key) {
    Awaited each = awaited.remove(key);
    if (each == null) {
      return List.of();
    }
    looks.remove(each);
    for (ClientSide client : each.clients) {
      Set<JobKey> keys = byClient.get(client);
      if (keys != null && keys.remove(key) && keys.isEmpty()) {
        byClient.remove(client);
      }
    }
    return List.copyOf(each.clients);
  }

  private void tell(List<ClientSide> clients, Function<ClientSide, ByteBuffer> packet) {
    if (!clients.isEmpty()) {
      loop.execute(() -> clients.forEach(client -> client.send(packet.apply(client))));
    }
  }

  private void run() {
    boolean failing = false;
    try {
      Awaited next = next();
      while (next != null) {
        try {
          look(next);
          failing = false;
        } catch (BrokerException e) {
          if (!failing) {
            log.warn("results for gearman clients cannot be looked for: {}", e.getMessage());
          }
          failing = true;
        } catch (RuntimeException e) {
          log.error("the result of task {} cannot be looked for", next.key.id(), e);
        }
        next = next();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the next task that is to be looked at; null when closed. */
  private synchronized @Nullable Awaited next() throws InterruptedException {
    while (!closed) {
      long now = System.nanoTime();
      Awaited first = looks.peek();
      if (first == null) {
        wait();
      } else if (first.nextLook - now > 0) {
        wait(Math.max(1, (first.nextLook - now) / 1_000_000));
      } else {
        looks.remove();
        first.nextLook = now + first.pause;
        first.pause =
            Math.min(
                first.pause * 3 / 2, Math.max(LONGEST_PAUSE_NANOS, looks.size() * SHARE_NANOS));
        looks.add(first);
        if (first.handedIn && !first.here) {
          return first;
        }
      }
    }
    return null;
  }

  private void look(Awaited each) {
    TaskInfo task;
    try {
      task = inspector.task(each.key.queue(), each.key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      // Deleted, or it has succeeded without leaving a result: whoever waits must not take that
      // for a success with an empty one.
      failed(each.key, null);
      return;
    }
    if (task.state() == TaskState.COMPLETED) {
      completed(each.key, task.result().bytes());
    } else if (task.state() == TaskState.ARCHIVED) {
      failed(each.key, said(task.lastError()));
    } else {
      progressed(each, task.progress());
    }
  }

  private static byte @Nullable [] said(String error) {
    return error.isEmpty() || error.equals(WorkerSide.FAILED)
        ? null
        : error.getBytes(StandardCharsets.UTF_8);
  }

  private void progressed(Awaited each, @Nullable Progress progress) {
    synchronized (this) {
      if (progress == null || progress.equals(each.told)) {
        return;
      }
      each.told = progress;
    }
    Status status = Status.of(progress);
    pass(
        each.key,
        Packets.of(
            Command.WORK_STATUS,
            each.handle,
            Packets.latin(status.numerator()),
            Packets.latin(status.denominator())));
  }

  void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
