package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.Task;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.Enqueuer;
import io.asynq4j.client.UnconfirmedTaskException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.executor.SingleThreadBatcher;
import io.asynq4j.service.gearman.JobValidator;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.session.ClientSession;
import io.asynq4j.service.limit.PendingTaskLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the jobs of clients in, as many together as have gathered. Thread-safe. */
public final class JobSubmitter {

  private static final Logger log = LoggerFactory.getLogger(JobSubmitter.class);

  /** What a job was called by its client, where its id says something else; each byte a char. */
  static final String UNIQUE_HEADER = "gearman-unique";

  private static final int MOST_AT_ONCE = 200;
  private static final int MOST_BYTES_AT_ONCE = 8 << 20;

  /** An id is taken by a task that has ended, and by another one the next moment. */
  private static final int MOST_TRIES = 5;

  /**
   * A job with all that is needed to hand it in.
   *
   * @param headers of the request
   * @param twins where else a job with its unique key may be
   */
  private record Ready(
      JobSubmission job,
      JobKey key,
      Map<String, String> headers,
      EnqueueRequest request,
      List<DuplicateJob> twins) {
    boolean isAwaited() {
      return !job.background();
    }

    ClientSession client() {
      return job.client();
    }
  }

  private final FunctionRegistry functions;
  private final Enqueuer client;
  private final Inspector inspector;
  private final ResultNotifier results;
  private final GatewayBus talk;
  private final JobClaimer claimer;
  private final EventLoop loop;
  private final JobValidator admission;
  private final PendingTaskLimiter pending;
  private final DuplicateJobs twins;
  private final JobCoalescer joins;
  private final Duration resultRetention;
  private final SingleThreadBatcher<JobSubmission> desk;

  /** By the servers of a cluster that jobs need. */
  private final KeyedBatchExecutor<String, JobSubmission> lanes;

  public JobSubmitter(
      FunctionRegistry functions,
      Enqueuer client,
      Inspector inspector,
      ResultNotifier results,
      GatewayBus talk,
      JobClaimer claimer,
      EventLoop loop,
      JobValidator admission,
      Duration resultRetention) {
    this.functions = functions;
    this.client = client;
    this.inspector = inspector;
    this.results = results;
    this.talk = talk;
    this.claimer = claimer;
    this.loop = loop;
    this.admission = admission;
    this.pending = new PendingTaskLimiter(inspector);
    this.twins = new DuplicateJobs(inspector);
    this.joins = new JobCoalescer(inspector, results, talk);
    this.resultRetention = resultRetention;
    this.desk = new SingleThreadBatcher<>("submit", MOST_AT_ONCE, this::submit);
    this.lanes =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(JobSubmitter::daemon, 1),
            (servers, job) -> servers,
            MOST_AT_ONCE,
            this::submit);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-gearman-submit");
    thread.setDaemon(true);
    return thread;
  }

  public void add(JobSubmission job) {
    String servers = serversFor(job);
    boolean isTaken = servers.isEmpty() ? desk.add(job) : lanes.add(servers, job);
    if (!isTaken) {
      job.place().refuse(GearmanException.shuttingDown());
    }
  }

  private String serversFor(JobSubmission job) {
    return functions.servers().areSeveral()
        ? functions
            .known(job.function(), job.priority())
            .map(definition -> serversFor(job, definition))
            .orElseGet(functions.servers()::ofDefinitions)
        : "";
  }

  /** Jobs that may be the same one need the same servers, and thus share a lane. */
  private String serversFor(JobSubmission job, TaskDefinition definition) {
    Set<String> queues = new HashSet<>();
    queues.add(definition.queue().value());
    twins(job, definition).forEach(twin -> queues.add(twin.queue()));
    String servers = functions.servers().of(queues);
    return definition.maxPending() == 0 ? servers : functions.servers().withQueueNames(servers);
  }

  private List<DuplicateJob> twins(JobSubmission job, TaskDefinition definition) {
    return job.unique().isEmpty() ? List.of() : functions.twins(job.function(), definition);
  }

  private void submit(String servers, List<JobSubmission> jobs) {
    if (servers.equals(functions.servers().ofDefinitions())) {
      jobs.forEach(this::findFunction);
    } else {
      submit(jobs);
    }
  }

  private void findFunction(JobSubmission job) {
    try {
      TaskDefinition definition = functions.require(job.function(), job.priority());
      if (!lanes.add(serversFor(job, definition), job)) {
        refuse(job, GearmanException.shuttingDown());
      }
    } catch (RuntimeException e) {
      refuse(job, refusal(e));
    }
  }

  private void submit(List<JobSubmission> jobs) {
    List<Ready> some = new ArrayList<>();
    long bytes = 0;
    for (JobSubmission job : jobs) {
      Optional<Ready> ready = ready(job);
      if (ready.isPresent()) {
        some.add(ready.get());
        bytes += job.data().size();
      }
      if (bytes > MOST_BYTES_AT_ONCE) {
        handIn(some);
        some.clear();
        bytes = 0;
      }
    }
    handIn(some);
  }

  /** Empty when it has been refused. */
  private Optional<Ready> ready(JobSubmission job) {
    try {
      TaskDefinition definition = functions.require(job.function(), job.priority());
      if (!pending.tryAdmit(definition)) {
        throw new GearmanException(
            "JOB_QUEUE_FULL",
            "as many jobs of \"%s\" wait as may: %,d (maxPending); hand it in again later"
                .formatted(definition.name(), definition.maxPending()));
      }
      Optional<String> refusal = admission.refusal(definition, job.data());
      if (refusal.isPresent()) {
        throw new GearmanException("JOB_REFUSED", refusal.get());
      }
      String id = job.taskId();
      String queue = definition.queue().value();
      List<DuplicateJob> others = twins(job, definition);
      Map<String, String> headers = headers(job, id);
      EnqueueRequest request =
          EnqueueRequest.of(
              Task.of(definition.name(), job.data(), headers), options(job, definition, id));
      return Optional.of(new Ready(job, new JobKey(queue, id), headers, request, others));
    } catch (RuntimeException e) {
      refuse(job, refusal(e));
    }
    return Optional.empty();
  }

  private Map<String, String> headers(JobSubmission job, String id) {
    Map<String, String> headers = new HashMap<>();
    if (!job.background()) {
      headers.putAll(WaitingGatewaysHeader.only(talk.name()));
    }
    if (!job.unique().isEmpty() && !job.unique().equals(id)) {
      headers.put(UNIQUE_HEADER, job.unique());
    }
    return headers;
  }

  private TaskOptions options(JobSubmission job, TaskDefinition definition, String id) {
    TaskOptions.Builder own = TaskOptions.builder().id(id);
    if (!job.background()) {
      // Whoever waits is told of a failure, and decides himself whether to try again.
      own.maxRetry(0);
      Duration retention = definition.retention();
      if (retention == null || retention.compareTo(resultRetention) < 0) {
        own.retention(resultRetention);
      }
    }
    if (job.at() != null) {
      own.processAt(job.at());
    }
    return definition.options().overriddenBy(own.build());
  }

  private void handIn(List<Ready> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    for (Ready job : jobs) {
      if (job.isAwaited()) {
        results.submitting(job.key(), job.client());
      }
    }
    List<Runnable> told = new ArrayList<>(jobs.size());
    List<Ready> fresh = new ArrayList<>(jobs.size());
    try {
      Map<Integer, DuplicateJobs.Found> elsewhere = twinsOf(jobs);
      for (int i = 0; i < jobs.size(); i++) {
        DuplicateJobs.Found twin = elsewhere.get(i);
        if (twin != null && joins.join(jobs.get(i).job(), twin.key())) {
          told.add(joined(jobs.get(i), twin.key()));
        } else {
          fresh.add(jobs.get(i));
        }
      }
    } catch (RuntimeException e) {
      GearmanException refusal = refusal(e);
      jobs.subList(told.size() + fresh.size(), jobs.size())
          .forEach(job -> told.add(refused(job, refusal)));
    }
    if (!fresh.isEmpty()) {
      told.addAll(enqueue(fresh));
    }
    loop.execute(() -> told.forEach(Runnable::run));
  }

  private List<Runnable> enqueue(List<Ready> jobs) {
    List<Runnable> told = new ArrayList<>(jobs.size());
    List<EnqueueResult> answers;
    try {
      answers = client.enqueueAll(jobs.stream().map(Ready::request).toList());
    } catch (RuntimeException e) {
      GearmanException refusal = refusal(e);
      jobs.forEach(job -> told.add(refused(job, refusal)));
      return told;
    }
    Map<Integer, DuplicateJobs.Found> sameMoment = sameMoment(jobs, answers);
    Set<String> queues = new HashSet<>();
    for (int i = 0; i < jobs.size(); i++) {
      told.add(answer(jobs.get(i), answers.get(i), sameMoment.get(i), 1));
      queues.add(jobs.get(i).key().queue());
    }
    queues.forEach(claimer::enqueued);
    return told;
  }

  private static GearmanException refusal(RuntimeException e) {
    if (e instanceof BrokerException unavailable) {
      return unavailable(unavailable);
    }
    return e instanceof IllegalArgumentException
        ? GearmanException.invalid(String.valueOf(e.getMessage()))
        : GearmanException.of(e);
  }

  private Map<Integer, DuplicateJobs.Found> twinsOf(List<Ready> jobs) {
    List<DuplicateJobs.Wanted> wanted = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      Ready job = jobs.get(i);
      if (!job.twins().isEmpty()) {
        wanted.add(new DuplicateJobs.Wanted(i, job.key().id(), job.twins()));
      }
    }
    return wanted.isEmpty() ? Map.of() : twins.find(wanted);
  }

  /**
   * Two gateways may both have looked before either has handed in; so both look once more. The one
   * that was later sees the other one, and takes back what it has handed in.
   */
  private Map<Integer, DuplicateJobs.Found> sameMoment(
      List<Ready> jobs, List<EnqueueResult> answers) {
    try {
      Map<Integer, DuplicateJobs.Found> found = new HashMap<>(twinsOf(jobs));
      found
          .entrySet()
          .removeIf(each -> !(answers.get(each.getKey()) instanceof EnqueueResult.Enqueued));
      return found;
    } catch (RuntimeException e) {
      // They are in; in the worst case a job with the same name is in under another priority.
      log.warn("jobs may be in twice, under two priorities: {}", e.getMessage());
      return Map.of();
    }
  }

  /**
   * What is to be told to the client, by the loop.
   *
   * @param twin one that came at the same moment
   */
  private Runnable answer(
      Ready job, EnqueueResult result, DuplicateJobs.@Nullable Found twin, int tries) {
    try {
      if (result instanceof EnqueueResult.Enqueued) {
        if (twin == null || !takeBack(job, twin)) {
          return created(job);
        } else if (joins.join(job.job(), twin.key())) {
          return joined(job, twin.key());
        }
        return again(job, tries);
      } else if (result instanceof EnqueueResult.Duplicate duplicate) {
        JobKey holder = new JobKey(job.key().queue(), duplicate.holderId());
        boolean unused = joins.join(job.job(), holder);
        return joined(job, holder);
      } else if (result instanceof EnqueueResult.IdConflict) {
        if (joins.joinOrMakeWay(job.job(), job.key()) || tries == MOST_TRIES) {
          return joined(job, job.key());
        }
        return again(job, tries);
      }
      throw ((EnqueueResult.Failed) result).error();
    } catch (UnconfirmedTaskException e) {
      return refused(
          job,
          new GearmanException(
              "UNCONFIRMED",
              "the job is in, but not as durable as configured; it may get lost in a failover"));
    } catch (RuntimeException e) {
      return refused(job, refusal(e));
    }
  }

  private Runnable again(Ready job, int tries) {
    return answer(job, client.enqueueAll(List.of(job.request())).get(0), null, tries + 1);
  }

  /**
   * Whether what was handed in just now is gone again, since its twin was before it, and nobody has
   * begun or joined it.
   */
  private boolean takeBack(Ready job, DuplicateJobs.Found twin) {
    try {
      return inspector.deleteIf(
          job.key().queue(),
          job.key().id(),
          task ->
              (task.state() == TaskState.PENDING || task.state() == TaskState.SCHEDULED)
                  && task.headers().equals(job.headers())
                  && twin.isBefore(task));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      return false;
    }
  }

  private Runnable created(Ready job) {
    if (job.isAwaited()) {
      results.created(job.key(), job.client());
    }
    return answered(job, job.key());
  }

  private Runnable joined(Ready job, JobKey key) {
    if (job.isAwaited()) {
      results.joined(job.key(), key, job.client());
    } else {
      // A client that waits for it must not take it along when he goes.
      results.submittedInBackground(key);
    }
    return answered(job, key);
  }

  private static Runnable answered(Ready job, JobKey key) {
    return () -> {
      job.job().place().answer(Packets.of(PacketType.JOB_CREATED, key.handle()));
      job.client().handedIn();
    };
  }

  private Runnable refused(Ready job, GearmanException refusal) {
    if (job.isAwaited()) {
      results.refused(job.key(), job.client());
    }
    return () -> job.job().place().refuse(refusal);
  }

  private void refuse(JobSubmission job, GearmanException refusal) {
    loop.execute(() -> job.place().refuse(refusal));
  }

  private static GearmanException unavailable(BrokerException e) {
    log.warn("jobs cannot be handed in: {}", e.getMessage());
    return new GearmanException(
        "QUEUE_ERROR", "the job may not be in: Redis does not answer or refuses; hand it in again");
  }

  public void close(Duration most) {
    long until = System.nanoTime() + most.toNanos();
    desk.close(most);
    lanes.close(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
  }

  /** The name of a job as its client gave it. */
  public static byte[] uniqueOf(String id, Map<String, String> headers) {
    String unique = headers.get(UNIQUE_HEADER);
    return unique != null ? Packets.latin(unique) : Payload.ofUtf8(id).bytes();
  }
}
