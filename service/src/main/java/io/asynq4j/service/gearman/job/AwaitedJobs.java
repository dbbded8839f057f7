package io.asynq4j.service.gearman.job;

import io.asynq4j.service.gearman.session.ClientSession;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs whose results clients of this gateway await, by key and by client. A job is polled while
 * it is here. Not thread-safe.
 */
final class AwaitedJobs {

  private final ResultPoller poller;
  private final Map<JobKey, AwaitedJob> byKey = new HashMap<>();
  private final Map<ClientSession, Set<JobKey>> byClient = new HashMap<>();

  AwaitedJobs(ResultPoller poller) {
    this.poller = poller;
  }

  @Nullable AwaitedJob get(JobKey key) {
    return byKey.get(key);
  }

  AwaitedJob getOrAdd(JobKey key) {
    return byKey.computeIfAbsent(
        key,
        any -> {
          poller.add(key);
          return new AwaitedJob(key);
        });
  }

  boolean isCurrent(AwaitedJob job) {
    return byKey.get(job.key) == job;
  }

  /** Adds a client whose submission has not been confirmed. */
  void addSubmitting(AwaitedJob job, ClientSession client) {
    job.submitting.add(client);
    byClient.computeIfAbsent(client, any -> new HashSet<>()).add(job.key);
  }

  /** The jobs that a client waits for. */
  Set<JobKey> of(ClientSession client) {
    return Set.copyOf(byClient.getOrDefault(client, Set.of()));
  }

  boolean hasClient(ClientSession client) {
    return byClient.containsKey(client);
  }

  /** Removes the job if it has no clients, and the link to a client that no longer waits for it. */
  void removeIfUnused(AwaitedJob job, ClientSession client) {
    if (!job.hasClients() && byKey.remove(job.key, job)) {
      poller.remove(job.key);
    }
    Set<JobKey> keys = byClient.get(client);
    if (keys != null && !job.has(client) && keys.remove(job.key) && keys.isEmpty()) {
      byClient.remove(client);
    }
  }
}
