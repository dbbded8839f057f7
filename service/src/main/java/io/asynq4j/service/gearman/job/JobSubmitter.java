package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.Enqueuer;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.gearman.JobValidator;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.limit.PendingTaskLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the jobs of clients into tasks, in batches. Jobs that need different servers of a cluster
 * do not wait for each other. Thread-safe.
 */
public final class JobSubmitter {

  private static final Logger log = LoggerFactory.getLogger(JobSubmitter.class);

  /** The unique key of a job, each byte as a char, where the task ID is different. */
  static final String UNIQUE_HEADER = "gearman-unique";

  private static final int MAX_BATCH = 200;
  private static final int MAX_BATCH_BYTES = 8 << 20;

  private final FunctionRegistry functions;
  private final GatewayBus bus;
  private final EventLoop loop;
  private final JobValidator validator;
  private final PendingTaskLimiter pending;
  private final Duration resultRetention;
  private final JobEnqueuer enqueuer;

  /** By the servers of a cluster that jobs need. */
  private final KeyedBatchExecutor<String, JobSubmission> lanes;

  public JobSubmitter(
      FunctionRegistry functions,
      Enqueuer client,
      Inspector inspector,
      ResultNotifier results,
      GatewayBus bus,
      JobClaimer claimer,
      EventLoop loop,
      JobValidator validator,
      PendingTaskLimiter pending,
      Duration resultRetention) {
    this.functions = functions;
    this.bus = bus;
    this.loop = loop;
    this.validator = validator;
    this.pending = pending;
    this.resultRetention = resultRetention;
    this.enqueuer = new JobEnqueuer(client, inspector, results, bus, claimer, loop);
    this.lanes = KeyedBatchExecutor.perServer("asynq-gearman-submit", MAX_BATCH, this::submit);
  }

  public void add(JobSubmission job) {
    if (!lanes.add(serversFor(job), job)) {
      job.slot().refuse(GearmanException.shuttingDown());
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

  /** Jobs that may be duplicates need the same servers, and thus share a lane. */
  private String serversFor(JobSubmission job, TaskDefinition definition) {
    Set<String> queues = new HashSet<>();
    queues.add(definition.queue().value());
    duplicateQueues(job, definition).forEach(other -> queues.add(other.queue()));
    String servers = functions.servers().of(queues);
    return definition.maxPending() == 0 ? servers : functions.servers().withQueueNames(servers);
  }

  private List<DuplicateQueue> duplicateQueues(JobSubmission job, TaskDefinition definition) {
    return job.unique().isEmpty() ? List.of() : functions.otherQueues(job.function(), definition);
  }

  private void submit(String servers, List<JobSubmission> jobs) {
    if (!servers.isEmpty() && servers.equals(functions.servers().ofDefinitions())) {
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
    List<PreparedJob> batch = new ArrayList<>();
    long bytes = 0;
    for (JobSubmission job : jobs) {
      Optional<PreparedJob> prepared = prepare(job);
      if (prepared.isPresent()) {
        batch.add(prepared.get());
        bytes += job.data().size();
      }
      if (bytes > MAX_BATCH_BYTES) {
        enqueuer.enqueue(batch);
        batch.clear();
        bytes = 0;
      }
    }
    enqueuer.enqueue(batch);
  }

  /** Empty when the job was refused. */
  private Optional<PreparedJob> prepare(JobSubmission job) {
    try {
      TaskDefinition definition = functions.require(job.function(), job.priority());
      if (!pending.tryAdmit(definition)) {
        throw new GearmanException(
            "JOB_QUEUE_FULL",
            "the maximum number of jobs of \"%s\" is pending: %,d (maxPending); submit it again later"
                .formatted(definition.name(), definition.maxPending()));
      }
      Optional<String> refusal = validator.refusal(definition, job.data());
      if (refusal.isPresent()) {
        throw new GearmanException("JOB_REFUSED", refusal.get());
      }
      String id = job.taskId();
      Map<String, String> headers = headers(job, id);
      EnqueueRequest request =
          EnqueueRequest.of(
              Task.of(definition.name(), job.data(), headers), options(job, definition, id));
      return Optional.of(
          new PreparedJob(
              job,
              new JobKey(definition.queue().value(), id),
              headers,
              request,
              duplicateQueues(job, definition)));
    } catch (RuntimeException e) {
      refuse(job, refusal(e));
    }
    return Optional.empty();
  }

  private Map<String, String> headers(JobSubmission job, String id) {
    Map<String, String> headers = new HashMap<>();
    if (!job.background()) {
      headers.putAll(WaitingGatewaysHeader.only(bus.name()));
    }
    if (!job.unique().isEmpty() && !job.unique().equals(id)) {
      headers.put(UNIQUE_HEADER, job.unique());
    }
    return headers;
  }

  private TaskOptions options(JobSubmission job, TaskDefinition definition, String id) {
    TaskOptions.Builder own = TaskOptions.builder().id(id);
    if (!job.background()) {
      // A client that waits receives the failure, and decides whether to try again.
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

  private void refuse(JobSubmission job, GearmanException refusal) {
    loop.execute(() -> job.slot().refuse(refusal));
  }

  /** The error that the client of a job receives. */
  static GearmanException refusal(RuntimeException e) {
    if (e instanceof BrokerException) {
      log.warn("jobs cannot be submitted: {}", e.getMessage());
      return new GearmanException(
          "QUEUE_ERROR",
          "the job may not be enqueued, because Redis does not respond or refuses; submit it again");
    }
    return e instanceof IllegalArgumentException
        ? GearmanException.invalid(String.valueOf(e.getMessage()))
        : GearmanException.of(e);
  }

  /** Enqueues the jobs that were added, up to this time. */
  public void close(Duration timeout) {
    lanes.close(timeout);
  }

  /** The unique key of a job as its client sent it. */
  public static byte[] uniqueOf(String id, Map<String, String> headers) {
    String unique = headers.get(UNIQUE_HEADER);
    return unique != null ? Packets.latin(unique) : Payload.ofUtf8(id).bytes();
  }
}
