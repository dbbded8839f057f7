package io.asynq4j.cli.dev;

import io.asynq4j.RetryPolicy;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.settings.ConnectionSettings;
import io.asynq4j.cli.settings.RedactedRedisUrl;
import io.asynq4j.embedded.EmbeddedRedisException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A Redis, a server with demo handlers and the dashboard: to play with, to develop against. */
@Command(
    name = "dev",
    description = "Starts a Redis, a server with demo handlers and the dashboard, until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dev                              # data in ~/.asynq/dev, port 6379 if it is free",
      "  asynq dev --ephemeral --port 0         # nothing is kept, any free port",
      "  asynq dev --ephemeral --port 0 --load 20/s",
      "  asynq dev --redis redis://localhost    # serve a Redis that is there already",
      "",
      "How it works:",
      "  Your programs connect to the URL that is printed; so do Go's asynq and asynqmon. Without",
      "  --redis, a redis-server or valkey-server of 6.2 or newer on the PATH is started, else the",
      "  one that comes along (Linux and macOS; on Windows use --redis with one in WSL or a",
      "  container). It listens on 127.0.0.1 only, keeps its data in an append-only file, and ends",
      "  with this command.",
      "",
      "  The server handles tasks of the type demo:hello, whose payload may ask for trouble:",
      "    {}                        done at once",
      "    {\"sleepMillis\": 2000}     takes two seconds",
      "    {\"failures\": 2}           fails twice, and then succeeds",
      "  and demo:broken, which always fails. Tasks of the type demo:item in a group become one of",
      "  the type demo:batch. Tasks of other types wait for a server that has a handler for them.",
      "  --load N/s enqueues all of these, also scheduled and by schedules, into three queues.",
      "",
      "  Ctrl-C waits up to 8 seconds for running tasks, puts the rest back, stops Redis, and ends",
      "  with 0. A second Ctrl-C ends at once, with 130; no task is lost by that either."
    })
public final class DevCommand extends LocalCommand {

  private static final Duration STATUS = Duration.ofSeconds(1);

  @ArgGroup(exclusive = true)
  private Storage storage = new Storage();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where the Redis listens; 0 = any free port. 6379 when it is free, else any.")
  private @Nullable Integer port;

  @Option(
      names = "--dashboard-port",
      paramLabel = "PORT",
      description =
          "Where the dashboard listens; 0 = any free port. 8080 when it is free, else any.")
  private @Nullable Integer dashboardPort;

  @Option(names = "--no-dashboard", description = "Leave the dashboard out.")
  private boolean noDashboard;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "NAME",
      description = "A queue that is served; may be given more than once. Default: default")
  private List<String> queues = List.of("default");

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many tasks run at once. Default: ${DEFAULT-VALUE}")
  private int concurrency = 10;

  @Option(
      names = "--load",
      paramLabel = "N/s",
      description = "Enqueue so many demo tasks a second, some of which fail.")
  private @Nullable String load;

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  /** Where the tasks are kept. */
  static final class Storage {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        description = "Where the Redis keeps its data. Default: ~/.asynq/dev")
    private @Nullable Path data;

    @Option(names = "--ephemeral", description = "Keep nothing on disk.")
    private boolean ephemeral;
  }

  @Override
  public Integer call() {
    ConnectionSettings there = options().flags();
    double perSecond = load == null ? 0 : DemoLoadGenerator.rate(load);
    if (there.isEmpty()) {
      try (DevRedis redis = start()) {
        serve(RedisConfig.parse(redis.uri()), redis.about(), perSecond);
      }
    } else {
      if (port != null || storage.data != null || storage.ephemeral) {
        throw CliException.usage(
            "--port, --data and --ephemeral are for a Redis that is started, but --redis names one"
                + " that runs",
            "leave one out");
      }
      serve(there.toConfig(), "yours", perSecond);
    }
    return ExitCode.DONE;
  }

  private DevRedis start() {
    Path data =
        storage.ephemeral
            ? null
            : storage.data != null
                ? storage.data
                : surroundings().home().resolve(".asynq").resolve("dev");
    try {
      return DevRedis.start(port, data);
    } catch (EmbeddedRedisException e) {
      throw CliException.failed(
          String.valueOf(e.getMessage()),
          surroundings().isWindows()
              ? "'asynq dev --redis URL' serves a Redis that runs elsewhere"
              : "--port 0 takes any port, --ephemeral needs no directory, --redis URL serves one"
                  + " that runs");
    }
  }

  private void serve(RedisConfig config, String about, double perSecond) {
    DevConsole screen = DevConsole.open(surroundings());
    List<String> served = new ArrayList<>(queues);
    if (perSecond > 0) {
      DemoLoadGenerator.QUEUES.stream()
          .filter(queue -> !served.contains(queue))
          .forEach(served::add);
    }
    try (RedisConnection redis = Session.connect(config)) {
      DemoHandler demo = new DemoHandler(redis.clock(), perSecond > 0 ? null : screen);
      TaskServer.Builder builder =
          TaskServer.builder(redis)
              .concurrency(concurrency)
              .retryPolicy(RetryPolicy.exponential(Duration.ofSeconds(2), Duration.ofMinutes(5)))
              .groups(
                  groups ->
                      groups
                          .aggregator(DemoHandler::aggregate)
                          .grace(Duration.ofSeconds(5))
                          .maxDelay(Duration.ofSeconds(30))
                          .maxSize(20))
              .handlers(demo.mux());
      served.forEach(queue -> builder.queue(queue, DemoLoadGenerator.weight(queue)));
      try (TaskServer server = builder.build();
          DevDashboard dashboard = DevDashboard.start(redis, !noDashboard, dashboardPort)) {
        new CheatSheet(config, usualPlace(), surroundings().program(), screen)
            .show(
                RedactedRedisUrl.of(config) + " (" + about + ")",
                dashboard.address().orElse("left out"),
                served,
                concurrency);
        try (DemoLoadGenerator demos =
            DemoLoadGenerator.start(redis, served.get(0), perSecond, screen)) {
          runUntilStopped(server, new QueueStatusReporter(Inspector.create(redis), served, screen));
          screen.line(demos.enqueued() + " demo tasks were enqueued");
        }
        screen.line("stopped: running tasks were finished or put back");
      }
    }
    screen.line("bye");
  }

  /** Where commands look without flags: variables and contexts may lead them elsewhere. */
  private String usualPlace() {
    try {
      return RedactedRedisUrl.of(options().withoutFlags());
    } catch (RuntimeException e) {
      // The file is broken; commands with a flag do not read it.
      return "";
    }
  }

  private void runUntilStopped(TaskServer server, QueueStatusReporter status) {
    ScheduledExecutorService ticks = Executors.newScheduledThreadPool(2);
    try {
      ScheduledFuture<?> showing =
          ticks.scheduleAtFixedRate(
              status::show, STATUS.toMillis(), STATUS.toMillis(), TimeUnit.MILLISECONDS);
      if (length != null) {
        ScheduledFuture<?> end =
            ticks.schedule(server::stop, length.toMillis(), TimeUnit.MILLISECONDS);
        server.run();
        end.cancel(/* mayInterruptIfRunning= */ false);
      } else {
        server.run();
      }
      showing.cancel(/* mayInterruptIfRunning= */ false);
    } finally {
      ticks.shutdownNow();
    }
  }
}
