package io.asynq4j.internal.client;

import io.asynq4j.Durability;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
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
 * Sends single tasks of callers that wait for the answer. A caller makes its call itself; while
 * calls to its queue are under way, the next one takes along what others have brought meanwhile, in
 * the thread of one of them. Those of the last call are likely to come again at once, and are
 * waited for, a moment: one call for all of them costs much less than two.
 *
 * <p>For platform threads: to interrupt one of them does not end the call that it makes for others.
 * A virtual thread would lose its socket by that, so it may only make calls of its own here.
 *
 * <p>How many calls are under way at once depends on how long they take: one to a Redis nearby,
 * more to a distant one. Thread-safe.
 */
final class CallCoalescer {

  /** What is sent before the first of those who wait gets its answer. */
  private static final int MOST = 100;

  /** A call that takes so long leaves room for one more beside it. */
  private static final long ONE_MORE_NANOS = TimeUnit.MICROSECONDS.toNanos(400);

  /**
   * How often a caller lets others run before it sleeps: an answer of a Redis nearby takes as long
   * as to fall asleep and be woken.
   */
  private static final int YIELDS_BEFORE_SLEEP = 30;

  /** How often a call lets others run before it leaves without some who came along last time. */
  private static final int YIELDS_BEFORE_CALL = 5;

  private final EnqueueSender alone;
  private final EnqueueSender together;
  private final int maxCalls;
  private final Map<BatchKey, QueueCalls> lines = new ConcurrentHashMap<>();

  CallCoalescer(EnqueueSender sender, int maxCalls) {
    this.alone = sender;
    this.together = sender.forSeveral();
    this.maxCalls = maxCalls;
  }

  EnqueueReply send(NewTask task, Durability durability) {
    return line(task, durability).send(task);
  }

  /** Sends a task by a call of its own; null when it is better sent together with others. */
  @Nullable EnqueueReply sendAlone(NewTask task, Durability durability) {
    return line(task, durability).sendAlone(task);
  }

  private QueueCalls line(NewTask task, Durability durability) {
    return lines.computeIfAbsent(BatchKey.of(task, durability), QueueCalls::new);
  }

  /** Those who bring tasks for one queue. */
  private final class QueueCalls {
    private final BatchKey destination;
    private final ConcurrentLinkedQueue<Caller> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inLine = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    /** Who may come for the next call: those of the last one, and those who waited meanwhile. */
    private volatile int expected;

    // Smoothed; it does not matter when one of two updates at once gets lost. Of this queue alone:
    // a server that does not answer must not change how others are called.
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
      inLine.incrementAndGet();
      try {
        return await(caller);
      } catch (Throwable e) {
        leave(caller);
        throw e;
      }
    }

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
      List<EnqueueReply> answers = sender.send(tasks, destination.durability());
      long before = nanosOfACall;
      nanosOfACall = before + (System.nanoTime() - began - before) / 8;
      return answers;
    }

    private int callsAtOnce() {
      return (int) Math.min(maxCalls, 1 + nanosOfACall / ONE_MORE_NANOS);
    }

    private boolean mayCall() {
      int now = calls.get();
      return now < callsAtOnce() && calls.compareAndSet(now, now + 1);
    }

    // Nothing relies on the scheduler: without the yields it is slower, and as right.
    @SuppressWarnings("ThreadPriorityCheck")
    private EnqueueReply await(Caller caller) {
      int yields = 0;
      while (true) {
        EnqueueReply answer = caller.entry.answer().getNow(null);
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
                caller.entry.giveUp(
                    "interrupted while waiting for Redis", new InterruptedException());
            leave(caller);
            return last;
          }
        }
      }
    }

    private void leave(Caller caller) {
      caller.entry.take();
      if (waiting.remove(caller)) {
        inLine.decrementAndGet();
      }
      // It may be the one that was woken to make the next call.
      wakeNext();
    }

    private void callForAll(Caller self) {
      int size = 0;
      try {
        gather();
        // As large as they can become: who has left the line must not get lost for want of memory.
        List<Caller> callers = new ArrayList<>(MOST);
        List<NewTask> tasks = new ArrayList<>(MOST);
        take(callers, tasks);
        size = callers.size();
        if (size > 0) {
          send(self, callers, tasks);
        }
      } finally {
        // Last, so that those who got their answers can bring the next tasks along.
        endCall(size);
      }
    }

    private void take(List<Caller> callers, List<NewTask> tasks) {
      Caller next;
      while (tasks.size() < MOST && (next = waiting.poll()) != null) {
        inLine.decrementAndGet();
        NewTask task = next.entry.take();
        if (task != null) {
          callers.add(next);
          tasks.add(task);
        }
      }
    }

    /** Answers all of them, also when it throws. */
    private void send(Caller self, List<Caller> callers, List<NewTask> tasks) {
      boolean isOnlyMine = callers.size() == 1 && callers.get(0) == self;
      try {
        List<EnqueueReply> answers = call(isOnlyMine ? alone : together, tasks);
        for (int i = 0; i < callers.size(); i++) {
          callers.get(i).entry.answer().complete(answers.get(i));
          callers.get(i).wake();
        }
      } catch (Throwable e) {
        for (int i = 0; i < callers.size(); i++) {
          callers.get(i).entry.lose(e);
          callers.get(i).wake();
        }
        throw e;
      }
    }

    // Nothing relies on the scheduler: without the yields a call takes fewer along, and is as
    // right.
    @SuppressWarnings("ThreadPriorityCheck")
    private void gather() {
      for (int i = 0; i < YIELDS_BEFORE_CALL && inLine.get() < expected; i++) {
        Thread.yield();
      }
    }

    private void endCall(int size) {
      expected = size + inLine.get();
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

  /** Compared by identity: the same thread may have been here before. */
  private static final class Caller {
    private final PendingEnqueue entry;
    private final Thread thread = Thread.currentThread();

    Caller(NewTask task) {
      this.entry = new PendingEnqueue(task);
    }

    void wake() {
      if (!thread.equals(Thread.currentThread())) {
        LockSupport.unpark(thread);
      }
    }
  }
}
