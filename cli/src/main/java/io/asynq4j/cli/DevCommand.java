package io.asynq4j.cli;

import io.asynq4j.RetryPolicy;
import io.asynq4j.handler.Mux;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A Redis and a server with a demo handler, to play with and to develop against. */
@Command(
    name = "dev",
    description = "Starts a Redis and a server with a demo handler, until Ctrl-C.",
    footerHeading = "%nHow it works:%n",
    footer = {
      "  Your programs connect to the URL that is printed; so do Go's asynq and asynqmon. Without",
      "  --redis, a redis-server or valkey-server of 6.2 or newer on the PATH is started, else the",
      "  one that comes along. It listens on 127.0.0.1 only, keeps its data in an append-only file,",
      "  and ends with this command.",
      "",
      "  The server handles tasks of the type demo:hello, whose payload may ask for trouble:",
      "    {}                        done at once",
      "    {\"sleepMillis\": 2000}     takes two seconds",
      "    {\"failures\": 2}           fails twice, and then succeeds",
      "  Tasks of other types wait for a server that has a handler for them.",
      "",
      "  Ctrl-C waits up to 8 seconds for running tasks, puts the rest back, stops Redis, and ends",
      "  with 0. A second Ctrl-C ends at once, with 130; no task is lost by that either.",
      "",
      "Examples:",
      "  ./asynq dev                              data in ./.asynq-dev, port 6379 if it is free",
      "  ./asynq dev --ephemeral --port 7000      nothing is kept",
      "  ./asynq dev --redis redis://10.0.0.5     serve a Redis that is there already"
    })
final class DevCommand implements Callable<Integer> {

  private static final Duration STATUS = Duration.ofSeconds(1);
  private static final int LINES_APART = 10;

  @ArgGroup(exclusive = true)
  private Storage storage = new Storage();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where the Redis listens; 0 = any free port. 6379 when it is free, else any.")
  private @Nullable Integer port;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "The queue that is served. Default: ${DEFAULT-VALUE}")
  private String queue = "default";

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many tasks run at once. Default: ${DEFAULT-VALUE}")
  private int concurrency = 10;

  /** Where the tasks are kept. */
  static final class Storage {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        description = "Where the Redis keeps its data. Default: ./.asynq-dev")
    private @Nullable Path data;

    @Option(names = "--ephemeral", description = "Keep nothing on disk.")
    private boolean ephemeral;

    @Option(
        names = "--redis",
        paramLabel = "URL",
        description = "Use this Redis and start none. The server takes tasks from its queue.")
    private @Nullable String redis;
  }

  @Override
  public Integer call() {
    Screen screen = Screen.open();
    if (storage.redis != null) {
      if (port != null) {
        throw new IllegalArgumentException(
            "--port is for a Redis that is started, but --redis names one that runs: leave one out");
      }
      serve(storage.redis, "yours", screen);
    } else {
      Path data =
          storage.ephemeral
              ? null
              : storage.data != null ? storage.data : Path.of(".asynq-dev").toAbsolutePath();
      try (DevRedis redis = DevRedis.start(port, data)) {
        serve(redis.uri(), redis.about(), screen);
      }
    }
    screen.line("bye");
    return 0;
  }

  private void serve(String uri, String about, Screen screen) {
    try (RedisConnection redis = RedisConnection.open(uri)) {
      DemoHandler demo = new DemoHandler(redis.clock(), screen);
      try (TaskServer server =
          TaskServer.builder(redis)
              .queue(queue)
              .concurrency(concurrency)
              .retryPolicy(RetryPolicy.exponential(Duration.ofSeconds(2), Duration.ofMinutes(5)))
              .handlers(Mux.builder().handle(DemoHandler.HELLO, demo).build())
              .build()) {
        screen.line("Redis    " + withoutPassword(uri) + " (" + about + ")");
        screen.line(
            "server   queue %s, %d tasks at once, handles %s"
                .formatted(queue, concurrency, DemoHandler.HELLO));
        screen.line("Ctrl-C stops; a second one ends at once");
        int demos = DemoHandler.enqueueSome(redis, queue);
        screen.line(demos + " demo tasks enqueued");
        ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
        try {
          Status status = new Status(Inspector.create(redis), queue, screen);
          ScheduledFuture<?> showing =
              ticks.scheduleAtFixedRate(
                  status::show, STATUS.toMillis(), STATUS.toMillis(), TimeUnit.MILLISECONDS);
          server.run();
          showing.cancel(/* mayInterruptIfRunning= */ false);
        } finally {
          ticks.shutdownNow();
        }
        screen.line("stopped: running tasks were finished or put back");
      }
    }
  }

  private static String withoutPassword(String uri) {
    return uri.replaceFirst("(://[^/@:]*):[^@]*@", "$1:***@")
        .replaceAll("([?&][a-zA-Z]*[pP]assword=)[^&]*", "$1***");
  }

  /** What the queue looks like, each second. */
  private static final class Status {
    private final Inspector inspector;
    private final String queue;
    private final Screen screen;
    private long shown;
    private long lastProcessed = -1;
    private long lastNanos;

    Status(Inspector inspector, String queue, Screen screen) {
      this.inspector = inspector;
      this.queue = queue;
      this.screen = screen;
    }

    void show() {
      if (!screen.inPlace() && shown++ % LINES_APART != 0) {
        return;
      }
      try {
        QueueSnapshot stats = inspector.queue(queue);
        long now = System.nanoTime();
        double rate =
            lastProcessed < 0 ? 0 : (stats.processed() - lastProcessed) * 1e9 / (now - lastNanos);
        lastProcessed = stats.processed();
        lastNanos = now;
        screen.status(StatusLine.of(stats, rate));
      } catch (RuntimeException e) {
        // An outage is logged by the server; the line tells it to whoever watches.
        screen.status("Redis does not answer");
      }
    }
  }
}
