package io.asynq4j.internal.client;

import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Coalesces synchronous calls for single tasks. A caller makes its call itself; while calls to its
 * queue are in flight, the next call takes the tasks of all waiting callers, in the thread of one
 * of them. Callers of the last call are likely to return at once, so the next call waits briefly
 * for them: one call for all costs much less than two.
 *
 * <p>For platform threads: an interrupt does not end the call that a thread makes for others. A
 * virtual thread would lose its socket, so it only makes calls for itself here.
 *
 * <p>The number of concurrent calls depends on their duration: one to a nearby Redis, more to a
 * distant one. Thread-safe.
 */
final class CallCoalescer {

  /** Duration of a call that allows one more concurrent call. */
  private static final long ONE_MORE_NANOS = TimeUnit.MICROSECONDS.toNanos(400);

  /**
   * Number of yields before a caller sleeps: a nearby Redis answers as fast as a thread sleeps and
   * wakes.
   */
  private static final int YIELDS_BEFORE_SLEEP = 30;

  /** Number of yields before a call is sent without some callers of the last one. */
  private static final int YIELDS_BEFORE_CALL = 5;

  private final EnqueueSender alone;
  private final EnqueueSender together;
  private final int maxCalls;
  private final Map<BatchKey, QueueCalls> queues = new ConcurrentHashMap<>();

  CallCoalescer(EnqueueSender sender, int maxCalls) {
    this.alone = sender;
    // An interrupt of one caller must not affect the others.
    this.together = new EnqueueSender(sender.sink().uninterrupted());
    this.maxCalls = maxCalls;
  }

  /** Returns the calls that a task may share. */
  QueueCalls of(NewTask task, DurabilityRequirement confirmation) {
    return queues.computeIfAbsent(BatchKey.of(task, confirmation), QueueCalls::new);
  }

  /** The callers with tasks for one queue. */
  final class QueueCalls {
    private final BatchKey destination;
    private final ConcurrentLinkedQueue<Caller> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    /**
     * Number of callers expected for the next call: those of the last one, and those that waited
     * meanwhile.
     */
    private volatile int expected;

    // Smoothed; a lost concurrent update does not matter. Per queue: an unresponsive server must
    // not change how others are called.
    private volatile long nanosOfACall;

    QueueCalls(BatchKey destination) {
      this.destination = destination;
    }

    EnqueueReply send(NewTask task) {
      EnqueueReply answer = sendAlone(task);
      if (answer != null) {
        return answer;
      }
      Caller caller = new Caller(task);
      waiting.add(caller);
      waitingCount.incrementAndGet();
      try {
        return await(caller);
      } catch (Throwable e) {
        leave(caller);
        throw e;
      }
    }

    /** Sends a task alone; returns null if it is better sent together with others. */
    @Nullable EnqueueReply sendAlone(NewTask task) {
      if (expected > 1 || !waiting.isEmpty() || !mayCall()) {
        return null;
      }
      try {
        return call(alone, List.of(task)).get(0);
      } finally {
        endCall(1);
      }
    }

    private List<EnqueueReply> call(EnqueueSender sender, List<NewTask> tasks) {
      long began = System.nanoTime();
      List<EnqueueReply> answers = sender.send(tasks, destination.confirmation());
      long before = nanosOfACall;
      nanosOfACall = before + (System.nanoTime() - began - before) / 8;
      return answers;
    }

    private boolean mayCall() {
      int now = calls.get();
      return now < Math.min(maxCalls, 1 + nanosOfACall / ONE_MORE_NANOS)
          && calls.compareAndSet(now, now + 1);
    }

    // Correctness does not depend on the scheduler: without the yields it is only slower.
    @SuppressWarnings("ThreadPriorityCheck")
    private EnqueueReply await(Caller caller) {
      int yields = 0;
      while (true) {
        EnqueueReply answer = caller.answer().getNow(null);
        if (answer != null) {
          return answer;
        }
        if (mayCall()) {
          callForAll(caller);
        } else if (yields < YIELDS_BEFORE_SLEEP) {
          yields++;
          Thread.yield();
        } else {
          LockSupport.park(this);
          if (Thread.currentThread().isInterrupted()) {
            EnqueueReply last =
                caller.giveUp("interrupted while waiting for Redis", new InterruptedException());
            leave(caller);
            return last;
          }
        }
      }
    }

    private void leave(Caller caller) {
      caller.take();
      if (waiting.remove(caller)) {
        waitingCount.decrementAndGet();
      }
      // This may be the thread that was woken to make the next call.
      wakeNext();
    }

    private void callForAll(Caller self) {
      int size = 0;
      try {
        gather();
        // Allocated at full size: callers that left the queue must not be lost for lack of memory.
        List<Caller> callers = new ArrayList<>(AsyncBatcher.MOST);
        List<NewTask> tasks = new ArrayList<>(AsyncBatcher.MOST);
        take(callers, tasks);
        size = callers.size();
        if (size > 0) {
          send(self, callers, tasks);
        }
      } finally {
        // Last, so that callers with their answers can join the next call.
        endCall(size);
      }
    }

    private void take(List<Caller> callers, List<NewTask> tasks) {
      Caller next;
      while (tasks.size() < AsyncBatcher.MOST && (next = waiting.poll()) != null) {
        waitingCount.decrementAndGet();
        NewTask task = next.take();
        if (task != null) {
          callers.add(next);
          tasks.add(task);
        }
      }
    }

    /** Answers all callers, even if it throws. */
    private void send(Caller self, List<Caller> callers, List<NewTask> tasks) {
      boolean isOnlyMine = callers.size() == 1 && callers.get(0) == self;
      try {
        List<EnqueueReply> answers = call(isOnlyMine ? alone : together, tasks);
        for (int i = 0; i < callers.size(); i++) {
          callers.get(i).answer().complete(answers.get(i));
          callers.get(i).wake();
        }
      } catch (Throwable e) {
        for (int i = 0; i < callers.size(); i++) {
          callers.get(i).lose(e);
          callers.get(i).wake();
        }
        throw e;
      }
    }

    // Correctness does not depend on the scheduler: without the yields a call only takes fewer
    // tasks.
    @SuppressWarnings("ThreadPriorityCheck")
    private void gather() {
      for (int i = 0; i < YIELDS_BEFORE_CALL && waitingCount.get() < expected; i++) {
        Thread.yield();
      }
    }

    private void endCall(int size) {
      expected = size + waitingCount.get();
      calls.decrementAndGet();
      wakeNext();
    }

    private void wakeNext() {
      Caller next = waiting.peek();
      if (next != null) {
        LockSupport.unpark(next.thread);
      }
    }
  }

  /** Compared by identity: the same thread may have called before. */
  private static final class Caller extends PendingEnqueue {
    private final Thread thread = Thread.currentThread();

    Caller(NewTask task) {
      super(task);
    }

    void wake() {
      if (!thread.equals(Thread.currentThread())) {
        LockSupport.unpark(thread);
      }
    }
  }
}
