package io.asynq4j.cli.task;

import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.command.ShutdownSignal;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.CountFormatter;
import io.asynq4j.cli.output.ProgressBar;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues one task per line of a file, several hundred per call. Not thread-safe. */
final class TaskFileEnqueuer {

  private static final int BATCH = 500;
  private static final int MAX_REPORTED = 20;

  private final String name;
  private final @Nullable String type;
  private final TaskOptions defaults;

  private final List<EnqueueRequest> batch = new ArrayList<>();
  private final List<Long> lines = new ArrayList<>();
  private long line;
  private long enqueued;
  private long present;
  private long failed;

  TaskFileEnqueuer(String name, @Nullable String type, TaskOptions defaults) {
    this.name = name;
    this.type = type;
    this.defaults = defaults;
  }

  int enqueue(Session session) {
    boolean stopped;
    try (InputStream bytes = open(session);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
        ProgressBar bar = session.progress();
        ShutdownSignal interruption = ShutdownSignal.watch()) {
      String next = reader.readLine();
      while (next != null && !interruption.isAsked()) {
        line++;
        add(session, next);
        if (batch.size() == BATCH) {
          send(session);
          bar.show("enqueued", enqueued, 0);
        }
        next = reader.readLine();
      }
      send(session);
      stopped = next != null;
    } catch (NoSuchFileException e) {
      throw CliException.usage(
          "File " + name + " does not exist", "Check the path passed with --from.");
    } catch (IOException e) {
      throw CliException.failed("Cannot read %s: %s".formatted(name, e.getMessage()), null);
    }
    session
        .printer()
        .results(
            List.of(this),
            List.of(
                Column.count("Enqueued", "enqueued", file -> file.enqueued),
                Column.count("Present", "already_present", file -> file.present),
                Column.count("Failed", "failed", file -> file.failed),
                Column.count("Lines", "lines", file -> file.line)),
            TaskFileEnqueuer::words);
    if (stopped) {
      session.note("Stopped before line %,d.".formatted(line + 1));
    }
    return failed > 0 || stopped ? ExitCode.FAILED : ExitCode.DONE;
  }

  private InputStream open(Session session) throws IOException {
    return name.equals("-") ? session.environment().in() : Files.newInputStream(Path.of(name));
  }

  private void add(Session session, String text) {
    if (text.isBlank()) {
      return;
    }
    try {
      batch.add(TaskLineParser.read(text, type, defaults));
      lines.add(line);
    } catch (IllegalArgumentException | ArithmeticException e) {
      fail(session, line, e.getMessage());
    }
  }

  private void send(Session session) {
    List<EnqueueResult> results = session.client().enqueueAll(batch);
    for (int i = 0; i < results.size(); i++) {
      EnqueueResult result = results.get(i);
      if (result.isEnqueued()) {
        enqueued++;
      } else if (result instanceof EnqueueResult.Failed problem) {
        fail(session, lines.get(i), problem.error().getMessage());
      } else {
        present++;
      }
    }
    batch.clear();
    lines.clear();
  }

  private void fail(Session session, long at, @Nullable String problem) {
    failed++;
    if (failed <= MAX_REPORTED) {
      session.note("asynq: line %,d: %s".formatted(at, problem));
    } else if (failed == MAX_REPORTED + 1) {
      session.note("asynq: further errors are not shown");
    }
  }

  private String words() {
    return "%s enqueued%s%s."
        .formatted(
            CountFormatter.tasks(enqueued),
            present == 0 ? "" : ", %,d already existed".formatted(present),
            failed == 0 ? "" : ", %,d failed".formatted(failed));
  }
}
