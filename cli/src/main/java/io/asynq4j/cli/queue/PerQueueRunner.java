package io.asynq4j.cli.queue;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.Session;
import io.asynq4j.inspect.QueueNotEmptyException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Applies an action to several queues. A failure for one is reported and the others follow. */
final class PerQueueRunner<R> {

  private final Session session;
  private int exitCode = ExitCode.DONE;

  PerQueueRunner(Session session) {
    this.session = session;
  }

  List<R> of(List<String> queues, Function<String, R> action) {
    List<R> results = new ArrayList<>();
    for (String queue : queues) {
      try {
        results.add(action.apply(queue));
      } catch (QueueNotFoundException e) {
        fail(
            ExitCode.NOT_FOUND,
            e.getMessage() + "\n       Run 'asynq queue list' to list all queues.");
      } catch (QueueNotEmptyException e) {
        fail(
            ExitCode.FAILED,
            e.getMessage()
                + "\n       Pass --force to delete it with its tasks. Active tasks must end first.");
      }
    }
    return results;
  }

  private void fail(int code, String message) {
    session.note("asynq: " + message);
    exitCode = code;
  }

  int exitCode() {
    return exitCode;
  }
}
