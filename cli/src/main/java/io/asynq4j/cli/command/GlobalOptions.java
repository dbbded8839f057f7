package io.asynq4j.cli.command;

import io.asynq4j.cli.output.AnsiColors;
import io.asynq4j.cli.output.OutputFormat;
import io.asynq4j.cli.output.Printer;
import io.asynq4j.cli.settings.ConfigFile;
import io.asynq4j.cli.settings.ConnectionSettings;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.redis.RedisConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that every command takes, before its name or behind it. */
public final class GlobalOptions {

  /** The name under which the root command has them as its mixin. */
  public static final String NAME = "globals";

  private static final Duration USUAL_WATCH = Duration.ofSeconds(2);

  private final CliEnvironment surroundings;

  @Option(
      names = "--redis",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      description = {
        "Where Redis is: redis://[user:password@]host[:port][/db], rediss:// with TLS,"
            + " redis-socket:///path, redis-sentinel://h1,h2/0?master=name,"
            + " redis-cluster://h1,h2. Also ASYNQ_REDIS_URL."
      })
  private @Nullable String redis;

  @Option(
      names = {"-u", "--uri"},
      scope = ScopeType.INHERIT,
      paramLabel = "HOST:PORT",
      description = "The same as host:port. Default: 127.0.0.1:6379")
  private @Nullable String uri;

  @Option(
      names = {"-n", "--db"},
      scope = ScopeType.INHERIT,
      paramLabel = "N",
      description = "The number of the database.")
  private @Nullable Integer db;

  @Option(
      names = {"-U", "--username"},
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "The user of Redis.")
  private @Nullable String username;

  @Option(
      names = {"-p", "--password"},
      scope = ScopeType.INHERIT,
      paramLabel = "TEXT",
      description = "Its password; others may see it here: better ASYNQ_PASSWORD, or a context.")
  private @Nullable String password;

  @Option(
      names = "--cluster",
      scope = ScopeType.INHERIT,
      arity = "0",
      description = "It is a cluster.")
  private @Nullable Boolean cluster;

  @Option(
      names = {"--cluster_addrs", "--cluster-addrs"},
      scope = ScopeType.INHERIT,
      paramLabel = "HOST:PORT,…",
      description = "Some of its nodes. Default: 127.0.0.1:7000 to 7005")
  private @Nullable String clusterAddrs;

  @Option(names = "--tls", scope = ScopeType.INHERIT, arity = "0", description = "Use TLS.")
  private @Nullable Boolean tls;

  @Option(
      names = {"--tls_server", "--tls-server"},
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "The name in the server's certificate.")
  private @Nullable String tlsServer;

  @Option(
      names = "--insecure",
      scope = ScopeType.INHERIT,
      arity = "0",
      description = "With TLS, take any certificate. Only for tests.")
  private @Nullable Boolean insecure;

  @Option(
      names = "--config",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description = "The configuration file. Default: ~/.asynq.yaml")
  private @Nullable Path config;

  @Option(
      names = "--context",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "A named place of Redis in that file; see asynq context.")
  private @Nullable String context;

  @Option(
      names = {"-o", "--output"},
      scope = ScopeType.INHERIT,
      paramLabel = "FORMAT",
      completionCandidates = FormatWords.class,
      description = "table, json or csv. Default: table")
  private @Nullable OutputFormat output;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Short for --output json.")
  private boolean json;

  @Option(
      names = {"-w", "--watch"},
      scope = ScopeType.INHERIT,
      arity = "0..1",
      paramLabel = "EVERY",
      parameterConsumer = Interval.class,
      description = "Show it again and again until Ctrl-C, every two seconds if not said.")
  private @Nullable Duration watch;

  @Option(
      names = {"--no-color", "--no-colour"},
      scope = ScopeType.INHERIT,
      description = "No colours; nor with NO_COLOR set, nor where there is no terminal.")
  private boolean noColour;

  public GlobalOptions(CliEnvironment surroundings) {
    this.surroundings = surroundings;
  }

  static GlobalOptions of(CommandSpec spec) {
    return (GlobalOptions) Objects.requireNonNull(spec.root().mixins().get(NAME)).userObject();
  }

  CliEnvironment surroundings() {
    return surroundings;
  }

  /** What the flags say of the place of Redis. */
  public ConnectionSettings flags() {
    return new ConnectionSettings(
        redis, uri, db, username, password, cluster, clusterAddrs, tls, tlsServer, insecure);
  }

  /** Flags count most, then a context that is named, variables, and the file. */
  public RedisConfig connection() {
    if (context != null) {
      return flags().orElse(file().of(context)).toConfig();
    }
    return flags()
        .orElse(ConnectionSettings.ofVariables(surroundings.variables()))
        .orElse(file().of(variableContext()))
        .toConfig();
  }

  /** Where a command would look that has no flags. */
  public RedisConfig withoutFlags() {
    return ConnectionSettings.ofVariables(surroundings.variables())
        .orElse(file().of(variableContext()))
        .toConfig();
  }

  private @Nullable String variableContext() {
    String name = surroundings.variables().getOrDefault("ASYNQ_CONTEXT", "");
    return name.isEmpty() ? null : name;
  }

  /** The context that counts; null for none. */
  public @Nullable String contextInUse() {
    return context != null
        ? context
        : variableContext() != null ? variableContext() : file().current();
  }

  /** What --config names; null without it. */
  public @Nullable Path configFile() {
    return config;
  }

  public ConfigFile file() {
    String variable = surroundings.variables().getOrDefault("ASYNQ_CONFIG", "");
    return ConfigFile.load(
        config != null ? config : variable.isEmpty() ? null : Path.of(variable),
        surroundings.home());
  }

  /** For a context that is to be saved in a file that need not exist. */
  public ConfigFile fileToWrite() {
    return config == null || config.toFile().exists()
        ? file()
        : new ConfigFile(config, ConnectionSettings.NONE, Map.of(), null);
  }

  public @Nullable Duration watch() {
    return watch;
  }

  public Printer printer() {
    if (json && output != null && output != OutputFormat.JSON) {
      throw CliException.usage(
          "--json and --output contradict each other", "leave one of them out");
    }
    OutputFormat format = json ? OutputFormat.JSON : output == null ? OutputFormat.TABLE : output;
    return new Printer(surroundings.out(), format, ink(), surroundings.columns());
  }

  public AnsiColors ink() {
    return new AnsiColors(colours());
  }

  /** Whether colours are wanted. */
  public boolean colours() {
    return surroundings.colours() && !noColour;
  }

  static final class FormatWords extends EnumCandidates {
    FormatWords() {
      super(OutputFormat.values());
    }
  }

  /** Takes what follows only if it is a time: it may be the name of a queue. */
  static final class Interval implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> arguments, ArgSpec argument, CommandSpec command) {
      boolean hasValue = !arguments.isEmpty() && isDuration(arguments.peek());
      Duration every = hasValue ? DurationFormat.parse(arguments.pop()) : USUAL_WATCH;
      argument.setValue(every);
    }

    /** A queue may be named like a duration of ISO 8601. */
    private static boolean isDuration(String text) {
      return text.matches("\\d.*") && DurationFormat.tryParse(text).isPresent();
    }
  }
}
