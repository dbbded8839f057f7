package io.asynq4j.cli.task;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.cli.task.option.EnqueueOptions;
import io.asynq4j.cli.task.option.PayloadSource;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Enqueues one task, or the tasks of a file. */
@Command(
    name = "enqueue",
    aliases = "add",
    description = {
      "Enqueue one task, or with --from one task per line of a file.",
      "A task is due now unless --at or --in is passed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task enqueue -t email:welcome -l '{\"user\": 42}'",
      "  asynq task enqueue -t email:welcome --payload @payload.json --queue mail --in 10m",
      "  asynq task enqueue -t email:welcome --payload - -H tenant=acme < payload.json",
      "  asynq task enqueue -t report --unique 1h --timeout 5m --retry 3 --retention 24h",
      "  asynq task enqueue --from tasks.jsonl",
      "",
      "Lines of the file are JSON objects. The options are the defaults for keys that a line omits:",
      "  {\"type\": \"email:welcome\", \"payload\": {\"user\": 42}, \"queue\": \"mail\"}",
      "  {\"type\": \"report\", \"id\": \"report-7\", \"process_in\": \"10m\", \"headers\": {\"tenant\":"
          + " \"acme\"}}",
      "Keys: type, payload (any JSON) or payload_text or payload_base64, queue, id, retry, timeout,",
      "deadline, unique, process_at, process_in, retention, group, headers."
    })
final class TaskEnqueueCommand extends RedisCommand {

  /** With --wait, so that a result is not deleted before it is read. */
  private static final Duration DEFAULT_WAIT_RETENTION = Duration.ofHours(1);

  @Option(
      names = {"-t", "--type_name", "--type"},
      paramLabel = "TYPE",
      description = "Task type, e.g. email:welcome. It selects the handler.")
  private @Nullable String type;

  @Option(
      names = {"-l", "--payload"},
      paramLabel = "TEXT",
      description = "Payload: the text itself, @FILE, or - for the standard input. Default: empty.")
  private @Nullable String payload;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description = "Enqueue one task per line of this JSON Lines file; - for the standard input.")
  private @Nullable String from;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Queue to enqueue to. Default: 'default'.")
  private @Nullable String queue;

  @Option(
      names = {"-i", "--id"},
      paramLabel = "ID",
      description = "Task ID, unique in the queue. Default: a random ID.")
  private @Nullable String id;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private EnqueueOptions settings;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "Wait up to this long for the task to end, e.g. 30s, and print it with its result."
              + " Exits with 1 if the task is archived. Without --retention, the task is kept for"
              + " 1h.")
  private @Nullable Duration wait;

  @Override
  protected void check() {
    if (from == null && type == null) {
      throw CliException.usage(
          "Missing option --type", "Pass --type TYPE for one task, or --from FILE for many.");
    }
    if (from != null && (payload != null || id != null || wait != null)) {
      throw CliException.usage(
          "--payload, --id and --wait apply to one task and cannot be combined with --from",
          "Remove --from, or remove these options.");
    }
    if (wait != null) {
      checkWait();
    }
    options(TaskOptions.builder());
  }

  private void checkWait() {
    if (settings.group() != null) {
      throw CliException.usage(
          "--wait and --group cannot be combined: a group is aggregated into another task",
          "Remove --wait or --group.");
    }
    Duration retention = settings.retention();
    if (retention != null && retention.isZero()) {
      throw CliException.usage(
          "--wait needs a retention, but with --retention 0s a completed task is deleted at once",
          "Remove --retention, or pass a duration such as --retention 1h.");
    }
  }

  @Override
  protected int run(Session session) {
    if (from != null) {
      return new TaskFileEnqueuer(from, type, options(TaskOptions.builder())).enqueue(session);
    }
    Task task =
        Task.of(
            Optional.ofNullable(type).orElseThrow(),
            payload == null
                ? Payload.absent()
                : PayloadSource.read(payload, session.environment()));
    EnqueueResult result =
        session.client().enqueue(EnqueueRequest.of(task, options(TaskOptions.builder())));
    TaskInfo enqueued = result.orThrow();
    if (wait == null) {
      show(session, enqueued);
      return ExitCode.DONE;
    }
    return await(session, enqueued, wait);
  }

  private TaskOptions options(TaskOptions.Builder options) {
    if (queue != null) {
      options.queue(queue);
    }
    if (id != null) {
      options.id(id);
    }
    if (wait != null) {
      options.retention(DEFAULT_WAIT_RETENTION);
    }
    return settings.applyTo(options).build();
  }

  private static void show(Session session, TaskInfo task) {
    session
        .printer()
        .results(
            List.of(task),
            List.of(
                Column.of("ID", "id", TaskInfo::id),
                Column.of("Queue", "queue", each -> each.queue().value()),
                Column.of("State", "state", each -> each.state().word()),
                Column.data("next_process_at", TaskInfo::nextProcessAt)),
            each ->
                "Enqueued task %s to queue %s%s."
                    .formatted(
                        each.id(),
                        each.queue(),
                        switch (each.state()) {
                          case SCHEDULED ->
                              ", due "
                                  + TimeFormatter.relative(each.nextProcessAt(), session.now());
                          case AGGREGATING -> ", waiting in group " + each.group();
                          default -> "";
                        }));
  }

  private static int await(Session session, TaskInfo task, Duration most) {
    try {
      TaskInfo ended =
          session
              .client()
              .awaitResult(task, most)
              .orElseThrow(
                  () ->
                      CliException.failed(
                          "Task %s did not complete within %s"
                              .formatted(task.id(), DurationFormat.approximate(most)),
                          "Run 'asynq task explain %s' to see why.".formatted(task.id())));
      session
          .printer()
          .detail(ended, new TaskColumns(session.now()).all(session.printer().colors()));
      if (ended.state() == TaskState.ARCHIVED) {
        throw CliException.failed(
            "Task %s was archived%s".formatted(ended.id(), reason(ended)),
            "Run 'asynq task run %s' to run it again.".formatted(ended.id()));
      }
      return ExitCode.DONE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.failed("Interrupted while waiting for task " + task.id(), null);
    }
  }

  private static String reason(TaskInfo archived) {
    return archived.lastError().lines().findFirst().map(line -> ": " + line).orElse("");
  }
}
