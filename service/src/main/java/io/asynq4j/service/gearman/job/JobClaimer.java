package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.lease.LeaseBatch;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.QueueWatch;
import io.asynq4j.service.executor.SingleThreadBatcher;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.session.WorkerSession;
import io.asynq4j.service.lease.TimeLimitedClaimer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs for workers that ask, and wakes those who sleep. Thread-safe.
 *
 * <p>A queue is <em>dry</em> when it gave no task after Redis was asked to tell of its next change,
 * and Redis has told of none since. Workers are let sleep only while all of their queues are dry;
 * so no job waits while a worker sleeps that could do it, and none is woken for a job that he
 * cannot have yet. A queue whose Redis server does not answer, or that Redis refuses to give tasks
 * of, is <em>unavailable</em>: it keeps nobody from sleeping, and is tried again later, while
 * others go on. Whoever asks a dry queue is answered without asking Redis. Messages may get lost,
 * so once a second the dry queues are looked at, and one sleeper of each that has tasks goes to
 * try.
 */
public final class JobClaimer {

  private static final Logger log = LoggerFactory.getLogger(JobClaimer.class);

  private static final int MOST_AT_ONCE = 256;

  /** Beyond so many queues it is cheaper to ask first which of them have tasks. */
  private static final int FEW_QUEUES = 3;

  private static final Duration REST_AFTER_REFUSAL = Duration.ofSeconds(1);

  private static final class QueueState {
    private long changes;
    private boolean dry;

    /** It gives nothing until it is told of again. */
    private boolean unavailable;

    /** How many attempts at its tasks wait for what has to be done before. */
    private int held;

    /** Had tasks while it was thought to be dry: a message may have been lost. */
    private boolean suspect;

    /** It gives the next one at a known time, and will be told of then. */
    private boolean timed;
  }

  private final EventLoop loop;
  private final Duration lease;
  private final Clock clock;
  private final ScheduledExecutorService timer;
  private final AttemptListener attempts;
  private final AttemptStarter starts;
  private final TimeLimitedClaimer claims;
  private final QueueWatch watch;
  private final SingleThreadBatcher<ClaimRequest> grabs;

  // All guarded by this.
  private final Map<String, QueueState> states = new HashMap<>();
  private final Map<WorkerSession, Set<String>> sleepers = new LinkedHashMap<>();
  private boolean outage;
  private boolean draining;

  public JobClaimer(
      FunctionRegistry functions,
      EventLoop loop,
      Duration lease,
      Clock clock,
      ScheduledExecutorService timer,
      AttemptListener attempts) {
    this.loop = loop;
    this.lease = lease;
    this.clock = clock;
    this.timer = timer;
    this.attempts = attempts;
    this.starts = new AttemptStarter(attempts, functions.servers(), new HeldQueues(), loop, timer);
    this.claims = new TimeLimitedClaimer(functions::leases, queues -> queues.forEach(this::tellOf));
    this.watch =
        functions
            .leases()
            .watch(
                new QueueWatch.Listener() {
                  @Override
                  public void changed(String queue) {
                    tellOf(queue);
                  }

                  @Override
                  public void lost() {
                    tellOfAll();
                  }
                });
    this.grabs = new SingleThreadBatcher<>("claim", MOST_AT_ONCE, this::serve);
  }

  /** Its worker is answered when it is its turn. */
  public void grab(ClaimRequest grab) {
    if (!grabs.add(grab)) {
      grab.worker().noJob(grab);
    }
  }

  /** A worker waits to be woken. False when there may be something for it already. */
  public synchronized boolean sleep(WorkerSession worker, Set<String> queues) {
    if (!draining && !outage && !queues.stream().allMatch(this::givesNothing)) {
      return false;
    }
    sleepers.put(worker, queues);
    return true;
  }

  /** It has come by itself, or is gone. */
  public synchronized void awake(WorkerSession worker) {
    sleepers.remove(worker);
  }

  private boolean givesNothing(String queue) {
    QueueState state = stateOf(queue);
    return state.dry || state.unavailable || state.held > 0;
  }

  private QueueState stateOf(String queue) {
    return states.computeIfAbsent(queue, any -> new QueueState());
  }

  /**
   * Somebody has put a task into a queue: whoever asks gets it, also before Redis has told of it.
   * Who sleeps is woken when it does.
   */
  synchronized void filled(String queue) {
    QueueState state = stateOf(queue);
    state.changes++;
    state.dry = false;
  }

  private synchronized void tellOf(String queue) {
    QueueState state = stateOf(queue);
    state.changes++;
    state.dry = false;
    state.unavailable = false;
    if (state.held == 0) {
      wake(sleepersOf(queue));
    }
  }

  private final class HeldQueues implements AttemptStarter.Queues {
    @Override
    public void hold(Set<String> queues) {
      synchronized (JobClaimer.this) {
        queues.forEach(queue -> stateOf(queue).held++);
      }
    }

    @Override
    public void resume(Set<String> queues) {
      synchronized (JobClaimer.this) {
        for (String queue : queues) {
          stateOf(queue).held--;
          tellOf(queue);
        }
      }
    }
  }

  /** Everything may be otherwise: nobody sleeps on. */
  public synchronized void tellOfAll() {
    states
        .values()
        .forEach(
            state -> {
              state.changes++;
              state.dry = false;
              state.unavailable = false;
            });
    wake(List.copyOf(sleepers.keySet()));
  }

  private List<WorkerSession> sleepersOf(String queue) {
    List<WorkerSession> found = new ArrayList<>();
    sleepers.forEach(
        (worker, queues) -> {
          if (queues.contains(queue)) {
            found.add(worker);
          }
        });
    return found;
  }

  private void wake(Collection<WorkerSession> workers) {
    if (draining || workers.isEmpty()) {
      return;
    }
    sleepers.keySet().removeAll(workers);
    loop.execute(() -> workers.forEach(WorkerSession::wake));
  }

  /** Workers are given nothing any more, and let sleep. */
  public synchronized void drain() {
    draining = true;
  }

  private synchronized boolean givesNothing() {
    return draining || outage;
  }

  private void serve(List<ClaimRequest> batch) {
    Map<ClaimRequest, LeasedTask> given = new LinkedHashMap<>();
    Set<ClaimRequest> empty = new LinkedHashSet<>(batch);
    try {
      if (!givesNothing()) {
        serve(empty, given);
      }
    } catch (BrokerException e) {
      begins(e);
    } finally {
      Map<ClaimRequest, LeasedTask> here = starts.handOver(given);
      boolean begun = begin(here.values());
      loop.execute(
          () -> {
            here.forEach(
                (grab, task) -> {
                  if (begun) {
                    grab.worker().assigned(grab, task);
                  } else {
                    grab.worker().withheld(grab, task);
                  }
                });
            empty.forEach(grab -> grab.worker().noJob(grab));
          });
    }
  }

  private boolean begin(Collection<LeasedTask> tasks) {
    if (tasks.isEmpty()) {
      return true;
    }
    try {
      attempts.begin(List.copyOf(tasks));
      return true;
    } catch (BrokerException e) {
      begins(e);
    } catch (RuntimeException e) {
      log.error("{} jobs cannot begin and go back to their queues", tasks.size(), e);
    }
    return false;
  }

  private void serve(Set<ClaimRequest> empty, Map<ClaimRequest, LeasedTask> given) {
    Set<String> exhausted = claim(inOrder(empty), empty, given);
    Set<String> unwatched = new LinkedHashSet<>();
    empty.forEach(grab -> unwatched.addAll(grab.functions().keySet()));
    unwatched.retainAll(exhausted);
    if (unwatched.isEmpty()) {
      return;
    }
    Map<String, Long> changes = changesOf(unwatched);
    Set<String> withTasks = watch.armEmpty(unwatched);
    if (!withTasks.isEmpty()) {
      // They came just now, or there is a pause or a limit: its end is told from now on.
      watch.armBlocked(withTasks);
      List<String> again = inOrder(empty).stream().filter(withTasks::contains).toList();
      Set<String> stillExhausted = claim(again, empty, given);
      unwatched.removeIf(queue -> withTasks.contains(queue) && !stillExhausted.contains(queue));
    }
    nowDry(unwatched, changes);
  }

  /** The queues of those who ask; a more urgent one of a function always before a less urgent. */
  private static List<String> inOrder(Set<ClaimRequest> asking) {
    Map<String, Integer> ranks = new LinkedHashMap<>();
    for (ClaimRequest grab : asking) {
      int rank = 0;
      for (String queue : grab.functions().keySet()) {
        ranks.merge(queue, rank++, Math::min);
      }
    }
    return ranks.entrySet().stream()
        .sorted(Comparator.comparingInt(Map.Entry::getValue))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns the queues that had fewer than were asked for. */
  private Set<String> claim(
      List<String> order, Set<ClaimRequest> empty, Map<ClaimRequest, LeasedTask> given) {
    List<String> queues = notDry(order);
    Set<String> worthAsking =
        queues.size() > FEW_QUEUES ? watch.withTasks(queues) : Set.copyOf(queues);
    Set<String> exhausted = new HashSet<>();
    for (String queue : queues) {
      List<ClaimRequest> asking =
          empty.stream().filter(grab -> grab.functions().containsKey(queue)).toList();
      if (asking.isEmpty()) {
        continue;
      }
      LeaseBatch batch =
          worthAsking.contains(queue)
              ? claim(queue, asking.size())
              : new LeaseBatch(List.of(), null);
      if (batch == null) {
        continue;
      }
      List<LeasedTask> tasks = batch.tasks();
      for (int i = 0; i < tasks.size(); i++) {
        given.put(asking.get(i), tasks.get(i));
        empty.remove(asking.get(i));
      }
      if (tasks.size() < asking.size()) {
        exhausted.add(queue);
      }
      clearSuspicion(queue, !tasks.isEmpty());
      if (batch.heldUntil() != null) {
        tellOfLater(queue, batch.heldUntil());
      }
    }
    return exhausted;
  }

  /** Null when the queue is unavailable. */
  private @Nullable LeaseBatch claim(String queue, int max) {
    Map<String, Long> before = changesOf(Set.of(queue));
    LeaseBatch batch = null;
    try {
      batch = claims.claim(queue, max, lease);
    } catch (BrokerRefusedException e) {
      log.warn("jobs of queue {} cannot be claimed and are tried again: {}", queue, e.getMessage());
      tellOfLater(queue, clock.instant().plus(REST_AFTER_REFUSAL));
    }
    if (batch == null) {
      nowUnavailable(queue, before);
    }
    return batch;
  }

  /** Unless it was told of meanwhile. */
  private synchronized void nowUnavailable(String queue, Map<String, Long> changesBefore) {
    QueueState state = stateOf(queue);
    Long before = changesBefore.get(queue);
    state.unavailable = before != null && before == state.changes;
  }

  /** When time is all that a queue waits for, nothing in Redis changes when it has passed. */
  private synchronized void tellOfLater(String queue, Instant at) {
    QueueState state = stateOf(queue);
    if (state.timed || draining) {
      return;
    }
    state.timed = true;
    long millis = Math.max(1, Duration.between(clock.instant(), at).toMillis() + 1);
    ScheduledFuture<?> unused =
        timer.schedule(() -> timeHasPassed(queue), millis, TimeUnit.MILLISECONDS);
  }

  private synchronized void timeHasPassed(String queue) {
    stateOf(queue).timed = false;
    tellOf(queue);
  }

  private synchronized List<String> notDry(List<String> queues) {
    return queues.stream().filter(queue -> !givesNothing(queue)).toList();
  }

  private synchronized Map<String, Long> changesOf(Set<String> queues) {
    Map<String, Long> changes = new HashMap<>();
    queues.forEach(queue -> changes.put(queue, stateOf(queue).changes));
    return changes;
  }

  private synchronized void nowDry(Set<String> queues, Map<String, Long> changesBefore) {
    for (String queue : queues) {
      QueueState state = stateOf(queue);
      Long before = changesBefore.get(queue);
      state.dry = before != null && before == state.changes;
    }
  }

  private synchronized void clearSuspicion(String queue, boolean founded) {
    QueueState state = stateOf(queue);
    if (state.suspect) {
      state.suspect = false;
      if (founded) {
        tellOf(queue);
      }
    }
  }

  private synchronized void begins(BrokerException e) {
    if (!outage) {
      outage = true;
      log.warn("gearman workers get no jobs until Redis answers again: {}", e.getMessage());
    }
  }

  /** Looks at the queues that workers sleep on, or that are thought to be dry; once a second. */
  public void lookAgain() {
    Set<String> queues = new HashSet<>();
    boolean wasOut;
    synchronized (this) {
      states.forEach(
          (queue, state) -> {
            if (state.dry || outage) {
              queues.add(queue);
            }
          });
      sleepers.values().forEach(queues::addAll);
      // They are told of when they are available again.
      queues.removeIf(queue -> !outage && isToldOfLater(queue));
      wasOut = outage;
    }
    if (queues.isEmpty() && !wasOut) {
      return;
    }
    Set<String> withTasks;
    try {
      withTasks = watch.withTasks(queues);
    } catch (BrokerException e) {
      begins(e);
      return;
    }
    if (wasOut) {
      log.info("gearman workers get jobs again");
      synchronized (this) {
        outage = false;
        tellOfAll();
      }
    } else {
      withTasks.forEach(this::haveTried);
    }
  }

  private boolean isToldOfLater(String queue) {
    QueueState state = stateOf(queue);
    return state.unavailable || state.held > 0;
  }

  /** A message was lost, or there is a pause or a limit: one is sent to see. */
  private synchronized void haveTried(String queue) {
    List<WorkerSession> waiting = sleepersOf(queue);
    QueueState state = stateOf(queue);
    if (state.dry) {
      state.dry = false;
      state.suspect = true;
      wake(waiting.subList(0, Math.min(1, waiting.size())));
    } else {
      // Who was sent has not come.
      wake(waiting);
    }
  }

  /** What is being claimed still reaches the loop. */
  public void close(Duration most) {
    long until = System.nanoTime() + most.toNanos();
    grabs.close(most);
    starts.close(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
    watch.close();
    claims.close();
  }
}
