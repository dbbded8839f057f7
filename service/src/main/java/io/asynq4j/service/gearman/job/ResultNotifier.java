package io.asynq4j.service.gearman.job;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.RedisServerLocator;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.session.ClientSession;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Delivers progress and results to the clients that wait for them. Packets of this gateway's
 * workers, and those that other gateways send, are forwarded at once. Tasks that others execute are
 * polled ({@link ResultPoller}). Thread-safe.
 */
public final class ResultNotifier {

  /**
   * Maximum time that a result or a status waits for earlier packets of its worker: messages are
   * delayed that long only while Redis is unavailable or the machine is overloaded.
   */
  private static final long MESSAGE_TIMEOUT_NANOS = Duration.ofSeconds(2).toNanos();

  private final Inspector inspector;
  private final EventLoop loop;
  private final ResultPoller poller;

  private volatile Consumer<JobKey> pollAfterMessages = this::poll;

  // All guarded by this.
  private final AwaitedJobs jobs;
  private long generations;

  /**
   * @param pollInterval see {@link ResultPoller}
   */
  public ResultNotifier(
      Inspector inspector, RedisServerLocator servers, EventLoop loop, Duration pollInterval) {
    this.inspector = inspector;
    this.loop = loop;
    this.poller = new ResultPoller(servers, pollInterval, this::pollIfNeeded);
    this.jobs = new AwaitedJobs(poller);
  }

  /**
   * Starts polling.
   *
   * @param newPollAfterMessages calls {@link #poll} when all messages that other gateways have sent
   *     before have arrived
   */
  public void start(Consumer<JobKey> newPollAfterMessages) {
    this.pollAfterMessages = newPollAfterMessages;
    poller.start();
  }

  /** Registers a client before it submits a job, so that it misses no packet. */
  synchronized void submitting(JobKey key, ClientSession client) {
    AwaitedJob job = jobs.getOrAdd(key);
    jobs.addSubmitting(job, client);
    if (job.generation == 0 && job.clients.isEmpty() && !job.assignedHere) {
      // A worker may get the job before its submission is confirmed.
      job.generation = ++generations;
    }
  }

  /** To be called before checking whether a job is in progress: results from now on are its own. */
  synchronized void aboutToJoin(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job != null) {
      job.lastResult = null;
    }
  }

  /** Records that the submission of a client has become a new task. */
  synchronized void created(JobKey key, ClientSession client) {
    AwaitedJob job = jobs.getOrAdd(key);
    job.foreground = true;
    if (job.generation == 0 || !job.clients.isEmpty()) {
      job.generation = ++generations;
    }
    job.lastResult = null;
    job.confirm(client);
  }

  /**
   * Records that the submission of a client has joined an existing task.
   *
   * @param submitted key under which the client was registered
   * @param key key of the existing task
   */
  void joined(JobKey submitted, JobKey key, ClientSession client) {
    Function<ClientSession, ByteBuffer> result;
    synchronized (this) {
      if (!submitted.equals(key)) {
        refused(submitted, client);
        submitting(key, client);
      }
      AwaitedJob job = jobs.getOrAdd(key);
      result = job.lastResult;
      if (result == null) {
        if (job.clients.isEmpty() && !job.assignedHere) {
          job.generation = 0;
        }
        job.confirm(client);
      } else {
        refused(key, client);
      }
    }
    if (result != null) {
      send(List.of(client), result);
    }
  }

  /**
   * Keeps a job when its waiting clients leave, as a client that does not wait submitted it too.
   */
  synchronized void submittedInBackground(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job != null) {
      job.foreground = false;
    }
  }

  /** Records that the submission of a client was refused. */
  synchronized void refused(JobKey key, ClientSession client) {
    AwaitedJob job = jobs.get(key);
    if (job != null && job.submitting.remove(client)) {
      jobs.removeIfUnused(job, client);
    }
  }

  /**
   * Removes a client that has disconnected. To be called again when a submission is confirmed
   * later.
   *
   * @return the tasks that no client wants any more
   */
  public synchronized List<JobKey> disconnected(ClientSession client) {
    List<JobKey> unwanted = new ArrayList<>();
    for (JobKey key : jobs.of(client)) {
      AwaitedJob job = jobs.get(key);
      if (job != null && job.clients.removeIf(other -> other == client)) {
        if (!job.hasClients() && job.foreground && !job.assignedHere) {
          unwanted.add(key);
        }
        jobs.removeIfUnused(job, client);
      }
    }
    return unwanted;
  }

  /** Number of clients that wait for a job. */
  public synchronized int clients(JobKey key) {
    AwaitedJob job = jobs.get(key);
    return job == null ? 0 : job.clients.size();
  }

  public synchronized boolean isWaiting(ClientSession client) {
    return jobs.hasClient(client);
  }

  /**
   * Records that a worker of this gateway has the job and reports its progress.
   *
   * @return the generation, which distinguishes this job from the next with the same key
   */
  public synchronized long assigned(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job == null) {
      return 0;
    }
    job.assignedHere = true;
    return job.generation;
  }

  /** Records that no worker of this gateway has the job any more, and that it has not ended. */
  public synchronized void unassigned(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job != null) {
      job.assignedHere = false;
      poller.pollSoon(key);
    }
  }

  /** Polls a task now: all earlier messages of other gateways about it have arrived. */
  public synchronized void poll(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job != null) {
      job.upToDate = true;
      poller.pollAfter(key, 0);
    }
  }

  /** Forwards a packet of a worker of this gateway. */
  public void forward(JobKey key, ByteBuffer packet) {
    send(clientsOf(key), client -> packet.duplicate());
  }

  private synchronized List<ClientSession> clientsOf(JobKey key) {
    AwaitedJob job = jobs.get(key);
    if (job == null) {
      return List.of();
    }
    List<ClientSession> all = new ArrayList<>(job.clients);
    // They receive it after the answer to their submission.
    all.addAll(job.submitting);
    return all;
  }

  /** Forwards a packet of a worker of another gateway. */
  public void forwardFromOtherGateway(JobKey key, ByteBuffer packet) {
    synchronized (this) {
      AwaitedJob job = jobs.get(key);
      if (job == null || job.assignedHere) {
        return;
      }
      Progress progress = Packets.status(packet).map(JobStatus::progress).orElse(null);
      boolean isKnown = !job.forwarded && progress != null && progress.equals(job.polledProgress);
      job.forwarded = true;
      job.messages++;
      if (isKnown) {
        return;
      }
    }
    forward(key, packet);
  }

  /**
   * Reports success.
   *
   * @param generation result of {@link #assigned}
   */
  public void completed(JobKey key, long generation, byte[] result) {
    end(key, generation, ResultPackets.completion(key, result));
  }

  /**
   * Reports a permanent failure.
   *
   * @param generation result of {@link #assigned}
   * @param exception the error that the worker has reported; null when none
   */
  public void failed(JobKey key, long generation, byte @Nullable [] exception) {
    end(key, generation, ResultPackets.failure(key, exception));
  }

  /** Reports the result of a task that has ended and was deleted. */
  void ended(JobKey key, TaskInfo task) {
    long generation;
    synchronized (this) {
      AwaitedJob job = jobs.get(key);
      generation = job == null ? 0 : job.generation;
    }
    end(key, generation, ResultPackets.result(key, task));
  }

  private void end(JobKey key, long generation, Function<ClientSession, ByteBuffer> result) {
    List<ClientSession> clients;
    synchronized (this) {
      AwaitedJob job = jobs.get(key);
      if (job == null) {
        return;
      }
      poller.pollSoon(key);
      if (job.generation != generation && job.generation != 0) {
        // The next job has replaced it, or it existed before a client that is submitting.
        job.lastResult = result;
        job.assignedHere = false;
        return;
      }
      clients = List.copyOf(job.clients);
      job.end(result);
      clients.forEach(client -> jobs.removeIfUnused(job, client));
    }
    send(clients, result);
  }

  private void send(List<ClientSession> clients, Function<ClientSession, ByteBuffer> packet) {
    if (!clients.isEmpty()) {
      loop.execute(() -> clients.forEach(client -> client.send(packet.apply(client))));
    }
  }

  /** Returns false when the task need not be polled. */
  private boolean pollIfNeeded(JobKey key) {
    AwaitedJob job;
    long generation;
    long messages;
    synchronized (this) {
      job = jobs.get(key);
      if (job == null || !job.enqueued || job.assignedHere) {
        return false;
      }
      generation = job.generation;
      messages = job.messages;
    }
    TaskInfo task;
    try {
      task = inspector.queue(key.queue()).task(key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      // Deleted, or succeeded without keeping a result, which must not look like an empty one.
      if (isUpToDate(job)) {
        end(key, generation, ResultPackets.failure(key, null));
      }
      return true;
    }
    if (!JobKey.hasEnded(task)) {
      reportProgress(job, task, messages);
    } else if (isUpToDate(job)) {
      end(key, generation, ResultPackets.result(key, task));
    }
    return true;
  }

  /**
   * Returns false when earlier messages of other gateways may not have arrived: then the task is
   * polled again. Also when a worker of this gateway has got it meanwhile.
   */
  private boolean isUpToDate(AwaitedJob job) {
    synchronized (this) {
      if (job.upToDate || job.assignedHere) {
        return !job.assignedHere;
      }
      if (jobs.isCurrent(job)) {
        poller.pollAfter(job.key, MESSAGE_TIMEOUT_NANOS);
      }
      // After this time, the poll counts even if no message has arrived.
      job.upToDate = true;
    }
    pollAfterMessages.accept(job.key);
    return false;
  }

  /**
   * @param messages number of messages when the poll started: a message that arrived since is about
   *     a later state of the task
   */
  private void reportProgress(AwaitedJob job, TaskInfo task, long messages) {
    Progress progress = task.progress();
    synchronized (this) {
      // The next worker may be one whose progress no gateway forwards.
      job.forwarded &= task.state() == TaskState.ACTIVE || job.messages != messages;
      if (progress == null || job.forwarded || progress.equals(job.polledProgress)) {
        job.upToDate = false;
        return;
      }
    }
    if (!isUpToDate(job)) {
      return;
    }
    synchronized (this) {
      job.upToDate = false;
      if (job.forwarded) {
        return;
      }
      job.polledProgress = progress;
    }
    forward(job.key, ResultPackets.progress(job.key, progress));
  }

  public void close() {
    poller.close();
  }
}
