package io.asynq4j.interop.peer;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Acts as the payload requests, like the Go handler in {@code work.go}. */
public record PayloadDrivenHandler(Consumer<WorkerProcess.Event> events) implements Handler<Task> {

  @Override
  public Outcome handle(Task task, TaskContext context) throws Exception {
    events.accept(
        new WorkerProcess.Event(
            "started",
            context.id(),
            context.queue().value(),
            task.type(),
            Base64.getEncoder().encodeToString(task.payload().bytes()),
            context.headers(),
            context.retryCount(),
            context.maxRetry(),
            context.deadline().getEpochSecond(),
            null,
            System.currentTimeMillis()));
    String[] words = task.payload().utf8().split(" ", 2);
    return switch (words[0]) {
      case "sleep" -> {
        // The work of this handler is to take time.
        Thread.sleep(Long.parseLong(words[1].replace("ms", "")));
        yield Outcome.done();
      }
      case "sleep-first" -> {
        if (context.retryCount() == 0) {
          Thread.sleep(Long.parseLong(words[1].replace("ms", "")));
        }
        yield Outcome.done();
      }
      case "fail" -> Outcome.retry(words[1]);
      // A Go handler that gives up returns an error that contains this.
      case "archive" -> Outcome.archive(words[1] + ": skip retry for the task");
      case "panic" -> throw new IllegalStateException(words[1]);
      case "revoke" -> Outcome.drop();
      case "result" -> Outcome.done(Payload.ofUtf8(words[1]));
      case "bytes" -> Outcome.done(Payload.of(HexFormat.of().parseHex(words[1])));
      default -> Outcome.done();
    };
  }
}
