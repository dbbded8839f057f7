package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.lease.LeaseEnd;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one peer says and is told: a client, a worker, both, or somebody with admin commands. Only
 * for the loop's thread.
 */
final class Session implements Connection.Peer {

  private static final Logger log = LoggerFactory.getLogger(Session.class);

  /** What is kept of a failure that a worker says no more about. */
  static final String FAILED = "the gearman worker has reported a failure";

  private static final String EXCEPTIONS = "exceptions";
  private static final int LONGEST_ERROR = 2_000;
  private static final int ENDED_REMEMBERED = 64;

  /** For GET_STATUS_UNIQUE, which does not say of which function. */
  private static final int MOST_FUNCTIONS_SEARCHED = 300;

  private final Connection connection;
  private final Parts parts;
  private final long startedAt = System.nanoTime();

  /** The functions it can do, each with the time it allows itself for one job; null = any. */
  private final Map<String, @Nullable Duration> abilities = new LinkedHashMap<>();

  private final Map<String, Job> jobs = new LinkedHashMap<>();

  /** Handles of the last jobs that ended, of which it may still say something. */
  private final Deque<String> ended = new ArrayDeque<>();

  /** What came while an answer that the rest hangs on is being looked for. */
  private final Deque<Request> held = new ArrayDeque<>();

  private String clientId = "-";
  private boolean holding;
  private boolean wantsExceptions;
  private boolean sleeping;
  private boolean draining;

  Session(Connection connection, Parts parts) {
    this.connection = connection;
    this.parts = parts;
  }

  static Refusal shuttingDown() {
    return new Refusal("SHUTDOWN", "the gateway is shutting down; ask another one");
  }

  @Override
  public void request(Request request) {
    if (holding) {
      held.add(request);
      return;
    }
    try {
      handle(request);
    } catch (Refusal refusal) {
      connection.reserve(0).refuse(refusal);
    }
  }

  private void handle(Request request) {
    switch (request.command()) {
      case ECHO_REQ -> connection.send(Packets.of(Command.ECHO_RES, request.bytes(0)));
      case OPTION_REQ -> option(request);
      case SET_CLIENT_ID -> clientId = printable(request.latin(0));
      case ALL_YOURS -> {
        // A promise to submit nothing; nothing follows from it.
      }
      case SUBMIT_JOB -> submit(request, Priority.NORMAL, false);
      case SUBMIT_JOB_BG -> submit(request, Priority.NORMAL, true);
      case SUBMIT_JOB_HIGH -> submit(request, Priority.HIGH, false);
      case SUBMIT_JOB_HIGH_BG -> submit(request, Priority.HIGH, true);
      case SUBMIT_JOB_LOW -> submit(request, Priority.LOW, false);
      case SUBMIT_JOB_LOW_BG -> submit(request, Priority.LOW, true);
      case SUBMIT_JOB_EPOCH -> submitLater(request);
      case SUBMIT_JOB_SCHED, SUBMIT_REDUCE_JOB, SUBMIT_REDUCE_JOB_BG ->
          throw new Refusal(
              "INVALID_COMMAND", request.command() + " is not supported; see docs/gearman.md");
      case GET_STATUS -> status(request.latin(0));
      case GET_STATUS_UNIQUE -> uniqueStatus(request.latin(0));
      case CAN_DO -> canDo(request.name(0), null);
      case CAN_DO_TIMEOUT -> canDo(request.name(0), seconds(request.latin(1)));
      case CANT_DO -> cannotDo(request.name(0));
      case RESET_ABILITIES -> abilities.clear();
      case PRE_SLEEP -> sleep();
      case GRAB_JOB, GRAB_JOB_UNIQ, GRAB_JOB_ALL -> grab(request.command());
      case WORK_STATUS -> workStatus(request);
      case WORK_DATA, WORK_WARNING -> workData(request);
      case WORK_COMPLETE -> workComplete(request);
      case WORK_FAIL -> workFailed(request, null);
      case WORK_EXCEPTION -> workFailed(request, request.bytes(1));
      default -> throw new Refusal("INVALID_COMMAND", request.command() + " is not for servers");
    }
  }

  private static String printable(String text) {
    String some = text.substring(0, Math.min(text.length(), 200));
    return some.isBlank() ? "-" : some.replaceAll("[^\\x21-\\x7e]", "_");
  }

  private void option(Request request) {
    if (!request.latin(0).equals(EXCEPTIONS)) {
      throw new Refusal("UNKNOWN_OPTION", "Server does not recognize given option");
    }
    wantsExceptions = true;
    connection.send(Packets.of(Command.OPTION_RES, request.bytes(0)));
  }

  // A client's side.

  private void submit(Request request, Priority priority, boolean background) {
    submit(request, request.bytes(2), priority, background, null);
  }

  private void submitLater(Request request) {
    Instant at;
    try {
      at = Instant.ofEpochSecond(Long.parseLong(request.latin(2).strip()));
    } catch (NumberFormatException | DateTimeException e) {
      throw Refusal.invalid("SUBMIT_JOB_EPOCH needs a time in seconds since 1970");
    }
    submit(request, request.bytes(3), Priority.NORMAL, true, at);
  }

  private void submit(
      Request request, byte[] data, Priority priority, boolean background, @Nullable Instant at) {
    if (draining) {
      throw shuttingDown();
    }
    String function = request.name(0);
    Connection.Place place = connection.reserve(request.size());
    parts
        .submitter()
        .add(
            new Submission(
                this,
                place,
                function,
                priority,
                request.latin(1),
                Payload.of(data),
                background,
                at));
  }

  private void status(String handle) {
    Connection.Place place = connection.reserve(0);
    Job job = parts.jobs().find(handle).orElse(null);
    if (job != null) {
      place.answer(statusPacket(handle, true, true, job.status()));
      return;
    }
    lookUp(
        place,
        () -> {
          TaskInfo task = parts.functions().keyOf(handle).map(this::find).orElse(null);
          return statusPacket(handle, isUnderWay(task), isRunning(task), statusOf(task));
        });
  }

  private static ByteBuffer statusPacket(
      String handle, boolean known, boolean running, Status status) {
    return Packets.of(
        Command.STATUS_RES,
        handle,
        flag(known),
        flag(running),
        Packets.latin(status.numerator()),
        Packets.latin(status.denominator()));
  }

  private void uniqueStatus(String unique) {
    Connection.Place place = connection.reserve(0);
    if (unique.isEmpty()) {
      place.answer(uniquePacket(unique, false, false, Status.NONE, 0));
      return;
    }
    String id = JobKey.idOfUnique(unique);
    lookUp(
        place,
        () ->
            parts.functions().all().stream()
                .limit(MOST_FUNCTIONS_SEARCHED)
                .map(definition -> new JobKey(definition.queue().value(), id))
                .flatMap(key -> uniquePacket(unique, key).stream())
                .findFirst()
                .orElseGet(() -> uniquePacket(unique, false, false, Status.NONE, 0)));
  }

  /** Empty when this is no job that is to be done. */
  private Optional<ByteBuffer> uniquePacket(String unique, JobKey key) {
    int clients = parts.results().clients(key);
    Job job = parts.jobs().find(key.handle()).orElse(null);
    if (job != null) {
      return Optional.of(uniquePacket(unique, true, true, job.status(), clients));
    }
    TaskInfo task = find(key);
    return isUnderWay(task)
        ? Optional.of(uniquePacket(unique, true, isRunning(task), statusOf(task), clients))
        : Optional.empty();
  }

  private static ByteBuffer uniquePacket(
      String unique, boolean known, boolean running, Status status, int clients) {
    return Packets.of(
        Command.STATUS_RES_UNIQUE,
        unique,
        flag(known),
        flag(running),
        Packets.latin(status.numerator()),
        Packets.latin(status.denominator()),
        Packets.latin(Integer.toString(clients)));
  }

  private static byte[] flag(boolean value) {
    return Packets.latin(value ? "1" : "0");
  }

  private @Nullable TaskInfo find(JobKey key) {
    try {
      return parts.inspector().task(key.queue(), key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return null;
    }
  }

  private static boolean isUnderWay(@Nullable TaskInfo task) {
    return task != null
        && task.state() != TaskState.COMPLETED
        && task.state() != TaskState.ARCHIVED;
  }

  private static boolean isRunning(@Nullable TaskInfo task) {
    return task != null && task.state() == TaskState.ACTIVE;
  }

  private static Status statusOf(@Nullable TaskInfo task) {
    Progress progress = isUnderWay(task) && task != null ? task.progress() : null;
    return progress == null ? Status.NONE : Status.of(progress);
  }

  /** Asks Redis elsewhere, and answers here. */
  private void lookUp(Connection.Place place, Supplier<ByteBuffer> question) {
    parts
        .lookups()
        .execute(
            () -> {
              ByteBuffer answer;
              try {
                answer = question.get();
              } catch (RuntimeException e) {
                Refusal refusal = refusalFor(e);
                parts.loop().execute(() -> place.refuse(refusal));
                return;
              }
              parts.loop().execute(() -> place.answer(answer));
            });
  }

  static Refusal refusalFor(RuntimeException e) {
    if (e instanceof Refusal refusal) {
      return refusal;
    }
    if (e instanceof BrokerException) {
      return new Refusal("QUEUE_ERROR", "Redis does not answer or refuses; try again later");
    }
    log.error("a request of a gearman peer could not be carried out", e);
    return new Refusal("SERVER_ERROR", "the gateway has failed; its log says more");
  }

  /** Sends what was not asked for. */
  void send(ByteBuffer packet) {
    if (!connection.isClosed()) {
      connection.send(packet);
    }
  }

  boolean wantsExceptions() {
    return wantsExceptions;
  }

  // A worker's side.

  private static @Nullable Duration seconds(String text) {
    try {
      long seconds = Long.parseLong(text.strip());
      return seconds <= 0 ? null : Duration.ofSeconds(Math.min(seconds, Integer.MAX_VALUE));
    } catch (NumberFormatException e) {
      throw Refusal.invalid("CAN_DO_TIMEOUT needs a number of seconds");
    }
  }

  private void canDo(String function, @Nullable Duration timeout) {
    if (parts.functions().isKnownWork(function).orElse(false)) {
      abilities.put(function, timeout);
      return;
    }
    // What comes next may hang on it.
    Connection.Place place = connection.reserve(0);
    holding = true;
    connection.pause(true);
    parts
        .lookups()
        .execute(
            () -> {
              Refusal refusal = null;
              try {
                parts.functions().requireWork(function);
              } catch (RuntimeException e) {
                refusal = refusalFor(e);
              }
              Refusal problem = refusal;
              parts
                  .loop()
                  .execute(
                      () -> {
                        if (problem == null) {
                          abilities.put(function, timeout);
                          place.leave();
                        } else {
                          log.info(
                              "a worker of {} may not do \"{}\": {}",
                              connection.address(),
                              function,
                              problem.text());
                          place.refuse(problem);
                        }
                        goOn();
                      });
            });
  }

  private void goOn() {
    holding = false;
    while (!holding && !held.isEmpty() && !connection.isClosed()) {
      request(held.remove());
    }
    if (!holding) {
      connection.pause(false);
    }
  }

  private void cannotDo(String function) {
    abilities.remove(function);
  }

  /** By queue, the most urgent first; no function is always the last to be asked for. */
  private Map<String, String> functionsByQueue() {
    List<String> order = new ArrayList<>(abilities.keySet());
    Collections.shuffle(order);
    Map<String, String> byQueue = new LinkedHashMap<>();
    for (Priority priority : Priority.values()) {
      for (String function : order) {
        parts
            .functions()
            .queue(function, priority)
            .ifPresent(queue -> putUnlessOwn(byQueue, queue, function, priority));
      }
    }
    return byQueue;
  }

  /** A worker may do {@code a} and {@code a:high}; then jobs of the latter are called so. */
  private void putUnlessOwn(
      Map<String, String> byQueue, String queue, String function, Priority priority) {
    String own = priority.nameOf(function);
    byQueue.putIfAbsent(queue, abilities.containsKey(own) ? own : function);
  }

  private void grab(Command command) {
    wokenOrGone();
    Connection.Place place = connection.reserve(0);
    Map<String, String> functions = functionsByQueue();
    Grab grab = new Grab(this, place, command, functions);
    if (draining || functions.isEmpty()) {
      noJob(grab);
    } else {
      parts.claimer().grab(grab);
    }
  }

  void noJob(Grab grab) {
    grab.place().answer(Packets.of(Command.NO_JOB));
  }

  /** A task was claimed for this worker, and cannot begin. */
  void withheld(Grab grab, LeasedTask task) {
    noJob(grab);
    parts.jobs().giveBack(task);
  }

  /** A task was claimed for this worker. */
  void assigned(Grab grab, LeasedTask task) {
    if (connection.isClosed() || draining) {
      withheld(grab, task);
      return;
    }
    String function = grab.functions().getOrDefault(task.queue().value(), task.task().type());
    Job job = new Job(task, this, deadline(task, function));
    jobs.put(job.handle(), job);
    ended.remove(job.handle());
    parts.jobs().take(job);
    parts.results().here(job.key());
    grab.place().answer(assignment(grab.command(), job, function));
  }

  private Instant deadline(LeasedTask task, String function) {
    Instant deadline = task.deadline();
    Instant now = parts.clock().instant();
    Duration own = abilities.get(function);
    if (own != null) {
      deadline = earlier(deadline, now.plus(own));
    }
    Duration defined =
        parts.functions().ofQueue(task.queue().value()).map(TaskDefinition::timeout).orElse(null);
    return defined == null ? deadline : earlier(deadline, now.plus(defined));
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  private static ByteBuffer assignment(Command asked, Job job, String function) {
    byte[] name = function.getBytes(StandardCharsets.UTF_8);
    byte[] data = job.task().task().payload().bytes();
    byte[] unique = Submitter.uniqueOf(job.task().id(), job.task().task().headers());
    // Whoever asks for all that is known is told of a reducer only where there is one: nowhere.
    return asked == Command.GRAB_JOB
        ? Packets.of(Command.JOB_ASSIGN, job.handle(), name, data)
        : Packets.of(Command.JOB_ASSIGN_UNIQ, job.handle(), name, unique, data);
  }

  private void sleep() {
    if (parts.claimer().sleep(this, Set.copyOf(functionsByQueue().keySet()))) {
      sleeping = true;
    } else {
      connection.send(Packets.of(Command.NOOP));
    }
  }

  private void wokenOrGone() {
    if (sleeping) {
      sleeping = false;
      parts.claimer().awake(this);
    }
  }

  /** There may be something to do. */
  void wake() {
    if (sleeping) {
      sleeping = false;
      send(Packets.of(Command.NOOP));
    }
  }

  /** Null when it has ended already, and what is said of it comes too late. */
  private @Nullable Job job(String handle) {
    Job job = jobs.get(handle);
    if (job == null && !ended.contains(handle)) {
      throw new Refusal("JOB_NOT_FOUND", "Job given in work result not found");
    }
    return job;
  }

  private void workStatus(Request request) {
    Job job = job(request.latin(0));
    if (job == null) {
      return;
    }
    if (job.setStatus(new Status(request.latin(1), request.latin(2)))) {
      parts.lookups().execute(() -> writeStatus(job));
    }
    parts
        .results()
        .pass(
            job.key(),
            Packets.of(Command.WORK_STATUS, job.handle(), request.bytes(1), request.bytes(2)));
  }

  /** For those who look at the task in Redis. */
  private void writeStatus(Job job) {
    Status status = job.statusToWrite();
    try {
      Progress progress = status.progress();
      parts.functions().leases().progress(job.task(), progress.percent(), progress.note());
    } catch (BrokerException e) {
      log.debug("the status of task {} is not kept: {}", job.task().id(), e.getMessage());
    }
  }

  private void workData(Request request) {
    Job job = job(request.latin(0));
    if (job != null) {
      parts
          .results()
          .pass(job.key(), Packets.of(request.command(), job.handle(), request.bytes(1)));
    }
  }

  private void workComplete(Request request) {
    Job job = job(request.latin(0));
    if (job == null) {
      return;
    }
    over(job);
    byte[] result = request.bytes(1);
    parts
        .jobs()
        .end(
            job,
            new Verdict.Complete(job.task(), Payload.of(result)),
            end -> {
              if (end == LeaseEnd.COMPLETED) {
                parts.results().completed(job.key(), result);
              } else {
                parts.results().elsewhere(job.key());
              }
            });
  }

  /**
   * @param exception what the worker says of it; null when nothing
   */
  private void workFailed(Request request, byte @Nullable [] exception) {
    Job job = job(request.latin(0));
    if (job == null) {
      return;
    }
    over(job);
    failed(job, exception == null ? FAILED : error(exception), exception);
  }

  private static String error(byte[] exception) {
    String text = new String(exception, StandardCharsets.UTF_8).strip();
    if (text.isEmpty()) {
      return FAILED;
    }
    return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR) + "…";
  }

  private void failed(Job job, String error, byte @Nullable [] exception) {
    Verdict verdict =
        new Verdict.Retry(job.task(), error, parts.functions().retryDelay(job.task(), error));
    parts.jobs().end(job, verdict, end -> ended(job, end, exception));
  }

  private void ended(Job job, LeaseEnd end, byte @Nullable [] exception) {
    if (end == LeaseEnd.ARCHIVED) {
      parts.results().failed(job.key(), exception);
    } else {
      parts.results().elsewhere(job.key());
    }
  }

  private void over(Job job) {
    jobs.remove(job.handle());
    ended.add(job.handle());
    if (ended.size() > ENDED_REMEMBERED) {
      ended.remove();
    }
    if (draining) {
      endIfIdle();
    }
  }

  /** Another has the job, or nobody: what this worker says of it does not count any more. */
  void leaseLost(Job job) {
    if (jobs.get(job.handle()) == job) {
      log.warn(
          "the lease on task {} of queue {} was lost while its gearman worker had it; it runs again",
          job.task().id(),
          job.task().queue());
      over(job);
      parts.results().elsewhere(job.key());
    }
  }

  /** A worker cannot be stopped; its job is given up. */
  void overdue(Job job) {
    if (jobs.get(job.handle()) == job) {
      over(job);
      String error = "the gearman worker was not done when the time of the attempt was over";
      log.warn("task {} of queue {}: {}", job.task().id(), job.task().queue(), error);
      failed(job, error, null);
    }
  }

  // Either side.

  @Override
  public void line(String line) {
    Connection.Place place = connection.reserve(line.length());
    new AdminCommand(parts, line).answer(place);
  }

  @Override
  public void tick(long now) {
    if (!connection.hasBeenHeard() && now - startedAt > parts.firstPacketWithin().toNanos()) {
      connection.close("it has said nothing");
    }
  }

  @Override
  public void closed() {
    parts.claimer().awake(this);
    List<Job> left = List.copyOf(jobs.values());
    jobs.clear();
    for (Job job : left) {
      if (draining) {
        parts.jobs().end(job, new Verdict.Release(job.task()), end -> ended(job, end, null));
      } else {
        parts.jobs().workerLost(job, end -> ended(job, end, null));
      }
    }
    List<JobKey> unwanted = parts.results().gone(this);
    if (!draining && !unwanted.isEmpty()) {
      parts.lookups().execute(() -> unwanted.forEach(this::deleteUnlessBegun));
    }
  }

  /** As in gearman: nobody is there for the result of a job that nobody has begun. */
  private void deleteUnlessBegun(JobKey key) {
    try {
      parts.inspector().deleteIf(key.queue(), key.id(), Session::isUnderWay);
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      log.debug("task {} is left alone, though its client has gone", key.id());
    } catch (BrokerException e) {
      log.info("task {} will be executed, though its client has gone", key.id());
    }
  }

  /** Takes no more, finishes what it has, and goes. */
  void drain() {
    draining = true;
    endIfIdle();
  }

  private void endIfIdle() {
    if (jobs.isEmpty() && !parts.results().isWaiting(this)) {
      connection.closeWhenWritten();
    }
  }

  /** For the list of workers. */
  String description() {
    StringBuilder text = new StringBuilder();
    text.append(connection.number()).append(' ').append(connection.address());
    text.append(' ').append(clientId).append(" :");
    abilities.keySet().forEach(function -> text.append(' ').append(function));
    return text.toString();
  }

  Set<String> functions() {
    return Set.copyOf(abilities.keySet());
  }
}
