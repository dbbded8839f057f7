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
import io.asynq4j.server.TaskServerBuilder;
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

/** Starts Redis, a server with demo handlers and the dashboard, for development. */
@Command(
    name = "dev",
    description =
        "Run a local Redis, a server with demo handlers and the web dashboard until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dev                              # data in ~/.asynq/dev, port 6379 if it is free",
      "  asynq dev --ephemeral --port 0         # keep no data, use any free port",
      "  asynq dev --ephemeral --port 0 --load 20/s",
      "  asynq dev --redis redis://localhost    # use a Redis that is already running",
      "",
      "How it works:",
      "  Connect your programs to the URL that is printed; asynq for Go and asynqmon can use it too.",
      "  Without --redis, the command starts redis-server or valkey-server from the PATH if it is 6.2",
      "  or newer, else the bundled Redis (Linux and macOS; on Windows use --redis with a Redis in WSL",
      "  or a container). It listens only on 127.0.0.1, stores its data in an append-only file, and",
      "  stops with this command.",
      "",
      "  The server handles tasks of type demo:hello. Their payload controls the handler:",
      "    {} or none                succeed at once",
      "    {\"sleepMillis\": 2000}     take two seconds",
      "    {\"failures\": 2}           fail twice, then succeed",
      "  Tasks of type demo:broken always fail. Tasks of type demo:item in a group are merged into one",
      "  task of type demo:batch. Tasks of other types stay pending until a server with a handler for",
      "  them runs. --load N/s enqueues all of these into three queues, including scheduled and",
      "  periodic tasks.",
      "",
      "  Ctrl-C waits up to 8 seconds for running tasks, requeues the others, stops Redis and exits",
      "  with 0. A second Ctrl-C exits immediately with 130. No task is lost in either case."
    })
public final class DevCommand extends LocalCommand {

  private static final Duration STATUS = Duration.ofSeconds(1);

  @ArgGroup(exclusive = true)
  private Storage storage = new Storage();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Port of Redis; 0 selects any free port. Default: 6379 if it is free, else any free port.")
  private @Nullable Integer port;

  @Option(
      names = "--dashboard-port",
      paramLabel = "PORT",
      description =
          "Port of the dashboard; 0 selects any free port. Default: 8080 if it is free, else any"
              + " free port.")
  private @Nullable Integer dashboardPort;

  @Option(names = "--no-dashboard", description = "Do not start the dashboard.")
  private boolean noDashboard;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Queue to serve (repeatable). Default: 'default'.")
  private List<String> queues = List.of("default");

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Maximum number of tasks that run at the same time. Default: ${DEFAULT-VALUE}.")
  private int concurrency = 10;

  @Option(
      names = "--load",
      paramLabel = "RATE",
      description = "Enqueue demo tasks at this rate, e.g. 20/s; some of them fail. Default: none.")
  private @Nullable String load;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "Stop after this duration, e.g. 10m. Default: run until interrupted.")
  private @Nullable Duration length;

  /** Storage of the started Redis. */
  static final class Storage {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        description = "Directory in which Redis stores its data. Default: ~/.asynq/dev.")
    private @Nullable Path data;

    @Option(names = "--ephemeral", description = "Do not store data on disk.")
    private boolean ephemeral;
  }

  @Override
  public boolean connects() {
    return true;
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
            "--port, --data and --ephemeral apply to a Redis that this command starts, but --redis names"
                + " a running one",
            "Remove --redis, or remove the other options.");
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
                : environment().home().resolve(".asynq").resolve("dev");
    try {
      return DevRedis.start(port, data);
    } catch (EmbeddedRedisException e) {
      throw CliException.failed(
          String.valueOf(e.getMessage()),
          environment().isWindows()
              ? "Run 'asynq dev --redis URL' to use a Redis that runs elsewhere."
              : "Use --port 0 for any free port, --ephemeral for no data directory, or --redis URL for a"
                  + " running Redis.");
    }
  }

  private void serve(RedisConfig config, String about, double perSecond) {
    DevConsole screen = DevConsole.open(environment());
    List<String> served = new ArrayList<>(queues);
    if (perSecond > 0) {
      DemoLoadGenerator.QUEUES.stream()
          .filter(queue -> !served.contains(queue))
          .forEach(served::add);
    }
    try (RedisConnection redis = Session.connect(config)) {
      DemoHandler demo = new DemoHandler(redis.clock(), perSecond > 0 ? null : screen);
      TaskServerBuilder builder =
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
        new CheatSheet(config, usualPlace(), environment().program(), screen)
            .show(
                RedactedRedisUrl.of(config) + " (" + about + ")",
                dashboard.address().orElse("disabled"),
                served,
                concurrency);
        try (DemoLoadGenerator demos =
            DemoLoadGenerator.start(redis, served.get(0), perSecond, screen)) {
          runUntilStopped(server, new QueueStatusReporter(Inspector.create(redis), served, screen));
          screen.line(demos.enqueued() + " demo tasks enqueued in total");
        }
        screen.line("stopped: running tasks were finished or requeued");
      }
    }
    screen.line("bye");
  }

  /** Connection of commands without flags, which variables and contexts determine. */
  private String usualPlace() {
    try {
      return RedactedRedisUrl.of(options().withoutFlags());
    } catch (RuntimeException e) {
      // The file is invalid; commands with a flag do not read it.
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
