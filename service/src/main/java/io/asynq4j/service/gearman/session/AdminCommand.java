package io.asynq4j.service.gearman.session;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.job.JobPriority;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.protocol.FunctionNameValidator;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A line of the admin protocol, and its answer. Created and started on the event loop. */
final class AdminCommand {

  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** States of tasks that wait. */
  private static final Set<TaskState> WAITING =
      EnumSet.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY);

  private static final int MAX_JOBS = 1_000;

  private final GatewayComponents gateway;
  private final String line;
  private final List<String> words;

  AdminCommand(GatewayComponents gateway, String line) {
    this.gateway = gateway;
    this.line = line;
    this.words = List.of(SPACE.split(line, -1));
  }

  /** Fills the slot, now or when Redis has answered. */
  void answer(PeerConnection.ResponseSlot slot) {
    switch (words.get(0).toLowerCase(Locale.ROOT)) {
      case "version" -> answer(slot, "OK " + version() + "\n");
      case "getpid" -> answer(slot, "OK " + ProcessHandle.current().pid() + "\n");
      case "verbose" -> answer(slot, "OK ERROR\n");
      case "workers" -> answer(slot, workers());
      case "status" -> answerLater(slot, status(workersByFunction()));
      case "prioritystatus" -> answerLater(slot, priorityStatus(workersByFunction()));
      case "show" -> show(slot);
      case "maxqueue" ->
          answer(slot, error("NOT_ALLOWED", "set maxPending in the task definition instead"));
      case "create" -> create(slot);
      case "drop" ->
          answer(slot, error("NOT_ALLOWED", "task definitions are removed by the service"));
      case "cancel" -> cancel(slot);
      case "shutdown" ->
          answer(
              slot,
              error("NOT_ALLOWED", "end the process of the service instead, with the signal TERM"));
      default -> answerUnknown(slot);
    }
  }

  private static String version() {
    String version = AdminCommand.class.getPackage().getImplementationVersion();
    return "asynq4j-" + (version == null ? "dev" : version);
  }

  private static String error(String code, String text) {
    return "ERR %s %s\r\n".formatted(code, URLEncoder.encode(text, StandardCharsets.UTF_8));
  }

  private void answerUnknown(PeerConnection.ResponseSlot slot) {
    answer(slot, error("UNKNOWN_COMMAND", "Unknown server command " + line));
  }

  private static void answer(PeerConnection.ResponseSlot slot, String text) {
    slot.answer(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private void answerLater(PeerConnection.ResponseSlot slot, Supplier<String> lookup) {
    answerLater(slot, gateway.functions().servers().all(), lookup);
  }

  private void answerLater(
      PeerConnection.ResponseSlot slot, String servers, Supplier<String> lookup) {
    gateway.lookUp(
        servers,
        lookup,
        text -> answer(slot, text),
        refusal -> answer(slot, error(refusal.code(), refusal.text())));
  }

  private String workers() {
    StringBuilder text = new StringBuilder();
    for (PeerConnection connection : gateway.loop().connections()) {
      PeerSession.of(connection).ifPresent(each -> text.append(each.description()).append('\n'));
    }
    return text.append(".\n").toString();
  }

  private Map<String, Integer> workersByFunction() {
    Map<String, Integer> workers = new HashMap<>();
    for (PeerConnection connection : gateway.loop().connections()) {
      PeerSession.of(connection)
          .ifPresent(
              each -> each.functions().forEach(name -> workers.merge(name, 1, Integer::sum)));
    }
    return workers;
  }

  /** The functions without those of priorities, which are counted with them. */
  private List<String> functions() {
    return gateway.functions().all().stream()
        .map(TaskDefinition::name)
        .filter(name -> !gateway.functions().isPriority(name))
        .toList();
  }

  private Supplier<String> status(Map<String, Integer> workers) {
    return () -> {
      StringBuilder text = new StringBuilder();
      for (String function : functions()) {
        long waiting = 0;
        long running = 0;
        for (JobPriority priority : JobPriority.values()) {
          QueueSnapshot queue = queue(function, priority).orElse(null);
          waiting += waiting(queue);
          running += queue == null ? 0 : queue.size(TaskState.ACTIVE);
        }
        row(text, function, waiting + running, running, workers.getOrDefault(function, 0));
      }
      return text.append(".\n").toString();
    };
  }

  private Supplier<String> priorityStatus(Map<String, Integer> workers) {
    return () -> {
      StringBuilder text = new StringBuilder();
      for (String function : functions()) {
        row(
            text,
            function,
            waiting(queue(function, JobPriority.HIGH).orElse(null)),
            waiting(queue(function, JobPriority.NORMAL).orElse(null)),
            waiting(queue(function, JobPriority.LOW).orElse(null)),
            workers.getOrDefault(function, 0));
      }
      return text.append(".\n").toString();
    };
  }

  private static void row(StringBuilder text, String function, long... counts) {
    text.append(function);
    for (long count : counts) {
      text.append('\t').append(count);
    }
    text.append('\n');
  }

  private static long waiting(@Nullable QueueSnapshot queue) {
    return queue == null ? 0 : WAITING.stream().mapToLong(queue::size).sum();
  }

  private Optional<QueueSnapshot> queue(String function, JobPriority priority) {
    TaskDefinition definition = gateway.functions().find(priority.nameOf(function)).orElse(null);
    if (definition == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(gateway.inspector().queue(definition.queue()).snapshot());
    } catch (QueueNotFoundException e) {
      return Optional.empty();
    }
  }

  private void show(PeerConnection.ResponseSlot slot) {
    List<String> what = words.subList(1, words.size());
    if (what.equals(List.of("jobs"))) {
      answerLater(slot, () -> jobs(AdminCommand::jobLine));
    } else if (what.equals(List.of("unique", "jobs"))) {
      answerLater(slot, () -> jobs(AdminCommand::uniqueLine));
    } else {
      answerUnknown(slot);
    }
  }

  private interface JobLine {
    void append(StringBuilder text, TaskInfo task);
  }

  private static void jobLine(StringBuilder text, TaskInfo task) {
    boolean running = task.state() == TaskState.ACTIVE;
    row(
        text,
        new JobKey(task.queue().value(), task.id()).handle(),
        task.retried(),
        /* ignored */ 0,
        running ? 1 : 0);
  }

  private static void uniqueLine(StringBuilder text, TaskInfo task) {
    byte[] unique = JobSubmitter.uniqueOf(task.id(), task.headers());
    text.append(new String(unique, StandardCharsets.UTF_8)).append('\n');
  }

  private String jobs(JobLine line) {
    StringBuilder text = new StringBuilder();
    int left = MAX_JOBS;
    for (TaskDefinition definition : gateway.functions().all()) {
      for (TaskState state : EnumSet.of(TaskState.ACTIVE, TaskState.PENDING)) {
        if (left > 0) {
          List<TaskInfo> some = tasks(definition, state, left);
          some.forEach(task -> line.append(text, task));
          left -= some.size();
        }
      }
    }
    return text.append(".\n").toString();
  }

  private List<TaskInfo> tasks(TaskDefinition definition, TaskState state, int max) {
    try {
      return gateway
          .inspector()
          .queue(definition.queue())
          .tasks(state, PageRequest.first(max))
          .tasks();
    } catch (QueueNotFoundException e) {
      return List.of();
    }
  }

  private void create(PeerConnection.ResponseSlot slot) {
    if (words.size() != 3 || !words.get(1).equals("function")) {
      answerUnknown(slot);
      return;
    }
    answerLater(
        slot,
        gateway.functions().servers().ofDefinitions(),
        () -> {
          gateway.functions().require(FunctionNameValidator.require(words.get(2)));
          return "OK\r\n";
        });
  }

  private void cancel(PeerConnection.ResponseSlot slot) {
    if (words.size() != 3 || !words.get(1).equals("job")) {
      answerUnknown(slot);
      return;
    }
    Optional<JobKey> key = gateway.functions().keyOf(words.get(2));
    answerLater(
        slot,
        key.map(gateway::serverOf).orElse(""),
        () -> {
          if (key.isEmpty() || !hasDeleted(key.get())) {
            throw new GearmanException("UNKNOWN_JOB", "");
          }
          return "OK\r\n";
        });
  }

  /**
   * Deletes a waiting job. A running one stays, and the result of one that has ended may be wanted.
   */
  private boolean hasDeleted(JobKey key) {
    try {
      return gateway
          .inspector()
          .queue(key.queue())
          .deleteIf(key.id(), task -> !JobKey.hasEnded(task));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      return false;
    }
  }
}
