package io.asynq4j.service.tasks;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.http.Json;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Executes a task by running a program, never through a shell. Thread-safe. */
final class CmdTaskHandler implements Handler<Task> {

  private static final Logger log = LoggerFactory.getLogger(CmdTaskHandler.class);

  /** Exit code for a temporary failure, as in sysexits.h. */
  private static final int SNOOZE = 75;

  private static final int ERROR_LIMIT = 1_500;
  private static final Duration OUTPUT_GRACE = Duration.ofSeconds(1);

  /**
   * The only environment variables that a program inherits: others of the service may be secret.
   */
  private static final List<String> INHERITED = List.of("PATH", "HOME", "LANG", "LC_ALL", "TZ");

  private final CmdSpec spec;
  private final ProcessGroups groups;

  CmdTaskHandler(CmdSpec spec, ProcessGroups groups) {
    this.spec = spec;
    this.groups = groups;
  }

  @Override
  public Outcome handle(Task task, TaskContext context) throws Exception {
    Process process = start(task, context);
    try (ProgramOutput result =
            ProgramOutput.head(process.getInputStream(), spec.resultLimit(), lines(context));
        ProgramOutput errors =
            ProgramOutput.tail(process.getErrorStream(), ERROR_LIMIT, lines(context))) {
      try {
        feed(process, task.payload());
        int exit = process.waitFor();
        // A child may keep the pipes open: it is ended with the group below.
        result.await(OUTPUT_GRACE);
        errors.await(OUTPUT_GRACE);
        return outcome(exit, result, errors);
      } finally {
        groups.end(process, spec.killGrace());
      }
    }
  }

  private Process start(Task task, TaskContext context) throws IOException {
    JsonNode params = params(task.payload());
    List<String> command = new ArrayList<>();
    command.add(spec.program());
    spec.arguments().forEach(argument -> command.add(argument.fill(params)));
    ProcessBuilder builder = new ProcessBuilder(groups.command(command, spec.memory(), spec.cpu()));
    Map<String, String> environment = builder.environment();
    environment.keySet().retainAll(INHERITED);
    spec.environment().forEach((name, value) -> environment.put(name, value.fill(params)));
    environment.put("ASYNQ_TASK_ID", context.id());
    environment.put("ASYNQ_TASK_NAME", task.type());
    environment.put("ASYNQ_ATTEMPT", Integer.toString(context.retryCount() + 1));
    environment.put("ASYNQ_DEADLINE", context.deadline().toString());
    if (spec.directory() != null) {
      builder.directory(new File(spec.directory()));
    }
    return builder.start();
  }

  private static JsonNode params(Payload payload) {
    return payload.size() == 0
        ? Json.object()
        : Json.read(payload.bytes())
            .orElseThrow(() -> Outcome.archive("the params are not JSON").asException());
  }

  /** Writes the params on a separate thread: a program need not read its input. */
  private static void feed(Process process, Payload params) {
    Thread feeder =
        new Thread(
            () -> {
              try (OutputStream input = process.getOutputStream()) {
                input.write(params.bytes());
              } catch (IOException e) {
                log.debug("the program did not read its params", e);
              }
            },
            "asynq-cmd-input");
    feeder.setDaemon(true);
    feeder.start();
  }

  private ProgramOutput.Lines lines(TaskContext context) {
    LastLine last = new LastLine(context);
    return line -> {
      if (spec.logOutput()) {
        log.info("task {} ({}): {}", context.id(), context.type(), line);
      }
      last.add(line);
    };
  }

  private Outcome outcome(int exit, ProgramOutput result, ProgramOutput errors) {
    if (exit == 0) {
      byte[] bytes = result.bytes();
      return bytes.length == 0 ? Outcome.done() : Outcome.done(Payload.of(bytes));
    }
    if (exit == SNOOZE) {
      return Outcome.snooze(spec.snooze());
    }
    String name = new File(spec.program()).getName();
    String text = errors.text().strip();
    return Outcome.retry(
        "%s exited with code %d%s".formatted(name, exit, text.isEmpty() ? "" : ": " + text));
  }

  /** Reports the newest line of output as progress, at most once a second. */
  private static final class LastLine {
    private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int LONGEST = 200;

    private final TaskContext context;
    private long last;
    private boolean shown;

    LastLine(TaskContext context) {
      this.context = context;
    }

    synchronized void add(String line) {
      long now = System.nanoTime();
      if (line.isBlank() || (shown && now - last < INTERVAL_NANOS)) {
        return;
      }
      shown = true;
      last = now;
      try {
        context.progress(0, line.length() > LONGEST ? line.substring(0, LONGEST) : line);
      } catch (RuntimeException e) {
        log.debug("task {}: the progress could not be written", context.id(), e);
      }
    }
  }
}
