package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Lookout.Part;
import io.asynq4j.broker.Upkeep.Recovered;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes tasks away from workers that have vanished, and aggregation sets from aggregators. */
final class Recoverer implements Duty {

  private static final Logger log = LoggerFactory.getLogger(Recoverer.class);

  private static final int MOST = 50;
  private static final Set<Part> TAKEN = EnumSet.of(Part.LEASE, Part.AGGREGATION_SETS);

  private final ServerConfig config;
  private final Broker broker;
  private final Queues queues;
  private final Outages outages;
  private final ServerListener events;

  Recoverer(
      ServerConfig config, Broker broker, Queues queues, Outages outages, ServerListener events) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.outages = outages;
    this.events = events;
  }

  @Override
  public String name() {
    return "recoverer";
  }

  @Override
  public Duration interval() {
    return config.recoverInterval();
  }

  @Override
  public Duration run() {
    // After an outage, those who are alive must get the chance to extend their leases first.
    if (!outages.isRecent(config.heartbeat().plusSeconds(1))) {
      Map<Part, Set<QueueName>> taken = broker.lookout().havingEach(queues.names(), TAKEN);
      EachQueue.of(taken.getOrDefault(Part.LEASE, Set.of()), this::recover);
      EachQueue.of(
          taken.getOrDefault(Part.AGGREGATION_SETS, Set.of()), broker.aggregation()::reclaimStale);
      if (taken.values().stream().allMatch(Set::isEmpty)) {
        return longInterval();
      }
    }
    return interval();
  }

  /**
   * When nobody has taken anything: what is taken from then on stays taken for longer than that.
   */
  private Duration longInterval() {
    Duration twice = interval().multipliedBy(2);
    return twice.compareTo(config.lease()) < 0 ? twice : interval();
  }

  private void recover(QueueName queue) {
    List<Recovered> recovered;
    do {
      recovered =
          broker
              .upkeep()
              .recover(queue, MOST, config.crash(), config.rulesOf(queue), config.archive());
      for (Recovered task : recovered) {
        String action = task.action().name().toLowerCase(Locale.ROOT);
        log.warn("the worker of task {} of queue {} has vanished: {}", task.id(), queue, action);
        events.recovered(queue, task.id(), action);
      }
    } while (recovered.size() == MOST);
  }
}
