package io.asynq4j.spring.boot;

import io.asynq4j.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code asynq4j.*}. The descriptions become metadata, and the page
 * docs/reference/spring-boot-properties.md. Settings without a default here have that of the core.
 *
 * @param enabled Whether asynq4j is configured at all.
 * @param codec How payloads and results are encoded, unless there is a bean of type PayloadCodec.
 * @param embedded Whether to start a real Redis as a child process and use it, for development.
 *     Needs asynq4j-embedded on the class path.
 * @param embeddedForce Whether the embedded Redis may start although a profile named prod or
 *     production is active.
 * @param embeddedPort Port of the embedded Redis; 0 for any free port.
 * @param embeddedDataDirectory Directory where the embedded Redis keeps its data between starts.
 *     Without it, the data is lost when the application stops.
 * @param servers Several servers instead of one, by name, each with the settings of asynq4j.server.
 */
@ConfigurationProperties("asynq4j")
record AsynqProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("json") Codec codec,
    @DefaultValue("false") boolean embedded,
    @DefaultValue("false") boolean embeddedForce,
    @DefaultValue("0") int embeddedPort,
    @Nullable Path embeddedDataDirectory,
    @DefaultValue Redis redis,
    @DefaultValue Client client,
    @DefaultValue Server server,
    @DefaultValue Map<String, Server> servers,
    @DefaultValue Scheduler scheduler,
    @DefaultValue Metrics metrics,
    @DefaultValue Dashboard dashboard) {

  /** How payloads and results are encoded. */
  enum Codec {
    /** JSON with the stable settings of asynq4j. */
    JSON,
    /** The same, but a payload without a component of a record is rejected. */
    STRICT_JSON,
    /** JSON with the mapper of the application, whose settings then must not change. */
    APPLICATION
  }

  /**
   * The connection.
   *
   * @param url Address of Redis, such as redis://localhost:6379, rediss-sentinel://… or
   *     redis-cluster://…. Without it, the connection of Spring Boot (spring.data.redis.*, service
   *     connections) is used.
   * @param username User for the data. Overrides that of the URL.
   * @param password Password for the data. Overrides that of the URL.
   * @param sentinelUsername User for the sentinels. Overrides that of the URL.
   * @param sentinelPassword Password for the sentinels. Overrides that of the URL.
   * @param sslBundle Name of the SSL bundle (spring.ssl.bundle.*) to connect with. Turns TLS on.
   * @param connectTimeout Timeout for opening a connection.
   * @param commandTimeout Timeout for the reply to a command, and for a free connection.
   * @param retryFor How long a failed call is retried if that is safe; 0 for never.
   * @param maxConnections Maximum number of connections to each node for calls. As many again may
   *     be opened for extending leases and settling tasks. Default: 8 per processor, at least 16.
   * @param numberedEnqueue Whether an enqueue whose reply was lost is sent again, and still applied
   *     once.
   * @param clientName Name of the connections in CLIENT LIST.
   * @param checkAtStart Whether the application fails to start if Redis does not respond. By
   *     default it starts, and connects when Redis is there.
   */
  record Redis(
      @Nullable String url,
      @Nullable String username,
      @Nullable String password,
      @Nullable String sentinelUsername,
      @Nullable String sentinelPassword,
      @Nullable String sslBundle,
      @Nullable Duration connectTimeout,
      @Nullable Duration commandTimeout,
      @Nullable Duration retryFor,
      @Nullable Integer maxConnections,
      @Nullable Boolean numberedEnqueue,
      @Nullable String clientName,
      @DefaultValue("false") boolean checkAtStart) {

    /** Never shows a secret. */
    @Override
    public String toString() {
      return "Redis[settings of asynq4j.redis]";
    }
  }

  /**
   * The client.
   *
   * @param maxPayload Maximum size of a payload, up to 64MB.
   * @param durability When a task counts as enqueued.
   * @param replicas Number of replicas that must have a task for the durability replicated.
   * @param confirmWithin Maximum time to wait for the durability replicated or fsynced.
   * @param maxCalls Maximum number of concurrent calls by waiting threads. Default: half of the
   *     connections, at most 8.
   * @param maxWaiting Number of tasks of enqueueAsync that may wait to be sent before it blocks.
   */
  record Client(
      @DefaultValue("1MB") DataSize maxPayload,
      @DefaultValue("primary") Durability durability,
      @DefaultValue("1") int replicas,
      @DefaultValue("1s") Duration confirmWithin,
      @Nullable Integer maxCalls,
      @DefaultValue("10000") int maxWaiting) {}

  /**
   * A server.
   *
   * @param enabled Whether tasks are processed. False makes the application a producer only.
   * @param concurrency Maximum number of handlers that run at once. Default: the number of
   *     processors.
   * @param queues Queues that are served, by name; a name with * is a pattern. Write names with
   *     other characters than letters, digits and hyphens in brackets, such as [mail_eu]. Default:
   *     the queue default, and those that the handlers name.
   * @param strictPriority Whether a queue gets a worker only while all queues of greater weight are
   *     empty.
   * @param virtualThreads Whether handlers run on virtual threads (Java 21 and newer). Default: the
   *     value of spring.threads.virtual.enabled.
   * @param retry Delays between the attempts of failed tasks.
   * @param shutdownTimeout How long a stop waits for running handlers. Keep it below
   *     spring.lifecycle.timeout-per-shutdown-phase.
   * @param maxResult Maximum size of a result. A task with a larger one is completed without it.
   * @param phase Phase of the lifecycle. By default, servers start last and stop first.
   * @param autoStartup Whether the server starts with the application.
   */
  record Server(
      @DefaultValue("true") boolean enabled,
      @Nullable Integer concurrency,
      @DefaultValue Map<String, Queue> queues,
      @DefaultValue("false") boolean strictPriority,
      @Nullable Boolean virtualThreads,
      @DefaultValue Retry retry,
      @DefaultValue("8s") Duration shutdownTimeout,
      @DefaultValue("1MB") DataSize maxResult,
      @DefaultValue("2147483647") int phase,
      @DefaultValue("true") boolean autoStartup,
      @DefaultValue Groups groups,
      @DefaultValue Timing timing,
      @DefaultValue Crashes crashes,
      @DefaultValue Failures failures,
      @DefaultValue Archive archive) {}

  /**
   * A queue.
   *
   * @param weight Share of the workers among busy queues.
   * @param maxActive Maximum number of active tasks over all servers; 0 for no limit.
   * @param ordered Whether tasks run one at a time, first in, first out.
   * @param rateLimit Maximum number of tasks that start per time over all servers, such as 100/s or
   *     5/10s. Default: no limit.
   * @param burst Maximum number of tasks that start at once after an idle time. Default: a tenth of
   *     a second's tasks.
   */
  record Queue(
      @DefaultValue("1") int weight,
      @DefaultValue("0") int maxActive,
      @DefaultValue("false") boolean ordered,
      @Nullable String rateLimit,
      @Nullable Integer burst) {}

  /**
   * Delays between attempts. Without any, the delay is about 30 seconds at first and grows with the
   * fourth power of the retries.
   *
   * @param delay Delay before the first retry, and before each one without max-delay. Default: the
   *     standard delays, about 30 seconds at first.
   * @param maxDelay Doubles the delay with each retry up to this one. Default: the delay stays.
   */
  record Retry(@Nullable Duration delay, @Nullable Duration maxDelay) {}

  /**
   * Aggregation of groups.
   *
   * @param maxSize Number of tasks at which a group is aggregated; 0 for no limit.
   * @param maxDelay Time after its first task at which a group is aggregated; 0 for no limit.
   * @param grace Time without a new task after which a group is aggregated.
   * @param timeout Time limit of an aggregator, after which its tasks return.
   * @param parallelism Maximum number of groups that are aggregated at the same time.
   */
  record Groups(
      @DefaultValue("0") int maxSize,
      @DefaultValue("0s") Duration maxDelay,
      @DefaultValue("1m") Duration grace,
      @DefaultValue("2m") Duration timeout,
      @DefaultValue("3") int parallelism) {}

  /**
   * Leases and intervals.
   *
   * @param lease Time after its last heartbeat at which a server loses its active tasks to others.
   * @param heartbeat Interval at which leases are extended. Default: 5s, or a third of the lease if
   *     that is shorter.
   * @param cancelGrace Time in which the outcome of a cancelled handler still counts.
   * @param pollInterval Interval of polling empty queues where Redis cannot notify.
   * @param recoverInterval Interval of the search for tasks whose lease has expired.
   * @param forwardInterval Interval of the search for due tasks besides known times.
   * @param janitorInterval Interval of deleting tasks whose retention has ended.
   * @param repairInterval Interval of repairing data that interrupted writers have left.
   */
  record Timing(
      @DefaultValue("15s") Duration lease,
      @Nullable Duration heartbeat,
      @DefaultValue("2s") Duration cancelGrace,
      @DefaultValue("1s") Duration pollInterval,
      @DefaultValue("2s") Duration recoverInterval,
      @DefaultValue("5s") Duration forwardInterval,
      @DefaultValue("8s") Duration janitorInterval,
      @DefaultValue("1m") Duration repairInterval) {}

  /**
   * Tasks whose worker has crashed.
   *
   * @param max Number of crashes in a row at which a task is archived.
   * @param delay Delay after the second crash; it doubles with each further one.
   * @param goGrace Time that a Go worker gets beyond its lease.
   */
  record Crashes(
      @DefaultValue("3") int max,
      @DefaultValue("30s") Duration delay,
      @DefaultValue("30s") Duration goGrace) {}

  /**
   * Failed attempts.
   *
   * @param keep Whether the last five failures of a task are stored with it.
   * @param logLimit Maximum number of failures of one task type that are logged in 10 seconds.
   * @param logEveryStackTrace Whether every failure is logged with its stack trace, not only those
   *     that archive their task.
   * @param missingHandlerDelay Delay of a task for which no handler is registered.
   */
  record Failures(
      @DefaultValue("true") boolean keep,
      @DefaultValue("10") int logLimit,
      @DefaultValue("false") boolean logEveryStackTrace,
      @DefaultValue("1m") Duration missingHandlerDelay) {}

  /**
   * Archived tasks.
   *
   * @param maxSize Maximum number of archived tasks per queue; the oldest are deleted.
   * @param maxAge How long archived tasks are kept.
   * @param releaseLocks Whether archiving a unique task releases its lock.
   */
  record Archive(
      @DefaultValue("7900") int maxSize,
      @DefaultValue("90d") Duration maxAge,
      @DefaultValue("false") boolean releaseLocks) {}

  /**
   * The scheduler.
   *
   * @param enabled Whether schedules are run by this application.
   * @param grace How late an instant may fire without counting as missed.
   * @param heartbeat Interval at which the entries are published to inspectors.
   * @param leader Whether replicas coordinate, so that each instant fires once.
   * @param leaderLease Time after which a leader that does not renew its lead is replaced.
   * @param sourceInterval Interval of reading entries from a source.
   * @param instantHeader Header in which a task gets the instant that it fires for. Default: none.
   * @param phase Phase of the lifecycle. By default, the scheduler starts last and stops first.
   * @param autoStartup Whether the scheduler starts with the application.
   */
  record Scheduler(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("30s") Duration grace,
      @DefaultValue("10s") Duration heartbeat,
      @DefaultValue("5s") Duration leaderLease,
      @DefaultValue("3m") Duration sourceInterval,
      @Nullable String instantHeader,
      @DefaultValue("true") boolean leader,
      @DefaultValue("2147483647") int phase,
      @DefaultValue("true") boolean autoStartup) {}

  /**
   * Metrics, if there is a MeterRegistry.
   *
   * @param servers Whether the attempts of the servers of this application are measured.
   * @param queues Whether the queues, servers and schedules of this Redis are read for metrics. One
   *     application of a fleet needs it.
   * @param interval Interval of reading them, at least 1s.
   * @param maxQueues Maximum number of queues with meters, the first by name.
   * @param legacyNames Whether to register the names of asynq's exporter too.
   */
  record Metrics(
      @DefaultValue("true") boolean servers,
      @DefaultValue("true") boolean queues,
      @DefaultValue("15s") Duration interval,
      @DefaultValue("1000") int maxQueues,
      @DefaultValue("true") boolean legacyNames) {}

  /**
   * The dashboard, in a servlet application with asynq4j-dashboard on the class path.
   *
   * @param path Path of the dashboard, such as /asynq. Without it, there is no dashboard.
   * @param readOnly Whether all changes are rejected. Default: true without Spring Security, false
   *     with it, where roles decide.
   * @param title Title of the pages.
   * @param refresh Interval at which Redis is polled while a page is open.
   * @param metrics Whether the dashboard serves its own /metrics.
   * @param roles Roles of Spring Security that may use the dashboard. Without any, each logged-in
   *     user may read.
   * @param allowedHosts Host names besides localhost under which a dashboard without Spring
   *     Security accepts requests from its own machine.
   * @param forwardedBy Addresses or networks of reverse proxies that report client addresses.
   * @param hide Parts of tasks that are never shown: payload, result, headers, error.
   * @param redact JSON paths that are never shown, such as $..password.
   */
  record Dashboard(
      @Nullable String path,
      @Nullable Boolean readOnly,
      @DefaultValue("asynq") String title,
      @DefaultValue("2s") Duration refresh,
      @DefaultValue("true") boolean metrics,
      @DefaultValue Roles roles,
      @DefaultValue List<String> allowedHosts,
      @DefaultValue List<String> forwardedBy,
      @DefaultValue Set<String> hide,
      @DefaultValue List<String> redact) {}

  /**
   * Roles or authorities of Spring Security, by permission. Each includes the previous ones.
   *
   * @param viewer Roles that may read.
   * @param operator Roles that may also run, archive, delete and enqueue tasks, and pause queues.
   * @param admin Roles that may also remove queues, set limits and stop servers.
   */
  record Roles(
      @DefaultValue Set<String> viewer,
      @DefaultValue Set<String> operator,
      @DefaultValue Set<String> admin) {

    boolean isEmpty() {
      return viewer.isEmpty() && operator.isEmpty() && admin.isEmpty();
    }
  }
}
