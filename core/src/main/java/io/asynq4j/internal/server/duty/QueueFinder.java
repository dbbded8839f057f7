package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.server.config.ServedQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds queues that match a pattern. */
public final class QueueFinder implements Duty {

  private static final Logger log = LoggerFactory.getLogger(QueueFinder.class);

  private final Inspection inspection;
  private final ServedQueues queues;
  private final Duration interval;

  public QueueFinder(Inspection inspection, ServedQueues queues, Duration interval) {
    this.inspection = inspection;
    this.queues = queues;
    this.interval = interval;
  }

  @Override
  public String name() {
    return "queue finder";
  }

  @Override
  public Duration interval() {
    return interval;
  }

  @Override
  public Duration run() {
    List<QueueName> existing = new ArrayList<>();
    for (String name : inspection.queues()) {
      try {
        existing.add(QueueName.of(name));
      } catch (IllegalArgumentException e) {
        // A name that a Go client accepts, but asynq4j does not.
        log.debug("queue \"{}\" is not served: {}", name, e.getMessage());
      }
    }
    queues.found(existing);
    return interval;
  }
}
