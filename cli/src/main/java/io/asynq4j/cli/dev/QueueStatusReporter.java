package io.asynq4j.cli.dev;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.List;
import java.util.stream.Stream;

/** Prints the status of the queues. Called by one thread at a time. */
final class QueueStatusReporter {

  private static final int LINES_APART = 10;

  private final Inspector inspector;
  private final List<String> queues;
  private final DevConsole screen;
  private long shown;
  private long lastProcessed = -1;
  private long lastNanos;

  QueueStatusReporter(Inspector inspector, List<String> queues, DevConsole screen) {
    this.inspector = inspector;
    this.queues = queues;
    this.screen = screen;
  }

  void show() {
    if (!screen.inPlace() && shown++ % LINES_APART != 0) {
      return;
    }
    try {
      List<QueueSnapshot> all = queues.stream().flatMap(this::snapshot).toList();
      long processed = all.stream().mapToLong(QueueSnapshot::processed).sum();
      long now = System.nanoTime();
      double rate = lastProcessed < 0 ? 0 : (processed - lastProcessed) * 1e9 / (now - lastNanos);
      lastProcessed = processed;
      lastNanos = now;
      screen.status(QueueStatusLine.of(all, rate));
    } catch (RuntimeException e) {
      // The server logs the outage; the status line shows it to the user.
      screen.status("Redis does not respond");
    }
  }

  private Stream<QueueSnapshot> snapshot(String queue) {
    try {
      return Stream.of(inspector.queue(queue).snapshot());
    } catch (QueueNotFoundException e) {
      return Stream.empty();
    }
  }
}
