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

/** Options that every command accepts, before or after the name of the command. */
public final class GlobalOptions {

  /** Name of the mixin in the root command. */
  public static final String NAME = "globals";

  private static final Duration USUAL_WATCH = Duration.ofSeconds(2);

  private final CliEnvironment environment;

  @Option(
      names = "--redis",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      description = {
        "URL of Redis: redis://[user:password@]host[:port][/db], rediss:// with TLS,"
            + " redis-socket:///path, redis-sentinel://h1,h2/0?master=name or"
            + " redis-cluster://h1,h2. Environment variable: ASYNQ_REDIS_URL."
      })
  private @Nullable String redis;

  @Option(
      names = {"-u", "--uri"},
      scope = ScopeType.INHERIT,
      paramLabel = "HOST:PORT",
      description = "Address of Redis as host:port. Default: 127.0.0.1:6379.")
  private @Nullable String uri;

  @Option(
      names = {"-n", "--db"},
      scope = ScopeType.INHERIT,
      paramLabel = "N",
      description = "Database number. Default: 0.")
  private @Nullable Integer db;

  @Option(
      names = {"-U", "--username"},
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "Redis user name.")
  private @Nullable String username;

  @Option(
      names = {"-p", "--password"},
      scope = ScopeType.INHERIT,
      paramLabel = "TEXT",
      description =
          "Redis password. Other users can see it in the process list; prefer ASYNQ_PASSWORD or a"
              + " context.")
  private @Nullable String password;

  @Option(
      names = "--cluster",
      scope = ScopeType.INHERIT,
      arity = "0",
      description = "Connect to a Redis Cluster.")
  private @Nullable Boolean cluster;

  @Option(
      names = {"--cluster_addrs", "--cluster-addrs"},
      scope = ScopeType.INHERIT,
      paramLabel = "HOST:PORT,…",
      description =
          "Addresses of cluster nodes, separated by commas. Default: 127.0.0.1:7000 to 127.0.0.1:7005.")
  private @Nullable String clusterAddrs;

  @Option(
      names = "--tls",
      scope = ScopeType.INHERIT,
      arity = "0",
      description = "Connect to Redis with TLS.")
  private @Nullable Boolean tls;

  @Option(
      names = {"--tls_server", "--tls-server"},
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "Server name to expect in the TLS certificate. Default: the host name.")
  private @Nullable String tlsServer;

  @Option(
      names = "--insecure",
      scope = ScopeType.INHERIT,
      arity = "0",
      description = "Accept any TLS certificate. Use only for tests.")
  private @Nullable Boolean insecure;

  @Option(
      names = "--config",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description =
          "Configuration file. Default: ~/.asynq.yaml. Environment variable: ASYNQ_CONFIG.")
  private @Nullable Path config;

  @Option(
      names = "--context",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description =
          "Context of the configuration file to use; see 'asynq context --help'. Environment variable:"
              + " ASYNQ_CONTEXT.")
  private @Nullable String context;

  @Option(
      names = {"-o", "--output"},
      scope = ScopeType.INHERIT,
      paramLabel = "FORMAT",
      completionCandidates = OutputFormatCandidates.class,
      description = "Output format: table, json or csv. Default: table.")
  private @Nullable OutputFormat output;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Same as --output json.")
  private boolean json;

  @Option(
      names = {"-w", "--watch"},
      scope = ScopeType.INHERIT,
      arity = "0..1",
      paramLabel = "INTERVAL",
      parameterConsumer = Interval.class,
      description =
          "Repeat a read-only command at this interval until Ctrl-C, e.g. 5s. Default interval: 2s.")
  private @Nullable Duration watch;

  @Option(
      names = {"--no-color", "--no-colour"},
      scope = ScopeType.INHERIT,
      description =
          "Disable colors. They are also off if NO_COLOR is set or the output is not a terminal.")
  private boolean noColor;

  public GlobalOptions(CliEnvironment environment) {
    this.environment = environment;
  }

  static GlobalOptions of(CommandSpec spec) {
    return (GlobalOptions) Objects.requireNonNull(spec.root().mixins().get(NAME)).userObject();
  }

  CliEnvironment environment() {
    return environment;
  }

  /** Connection settings given as flags. */
  public ConnectionSettings flags() {
    return new ConnectionSettings(
        redis, uri, db, username, password, cluster, clusterAddrs, tls, tlsServer, insecure);
  }

  /** Precedence: flags, a context named by flag or variable, variables, configuration file. */
  public RedisConfig connection() {
    if (context != null) {
      return flags().orElse(file().of(context)).toConfig();
    }
    return flags()
        .orElse(ConnectionSettings.ofVariables(environment.variables()))
        .orElse(file().of(variableContext()))
        .toConfig();
  }

  /** Connection of a command without flags. */
  public RedisConfig withoutFlags() {
    return ConnectionSettings.ofVariables(environment.variables())
        .orElse(file().of(variableContext()))
        .toConfig();
  }

  private @Nullable String variableContext() {
    String name = environment.variables().getOrDefault("ASYNQ_CONTEXT", "");
    return name.isEmpty() ? null : name;
  }

  /** Name of the effective context; null for none. */
  public @Nullable String contextInUse() {
    return context != null
        ? context
        : variableContext() != null ? variableContext() : file().current();
  }

  /** Value of --config; null if it was not passed. */
  public @Nullable Path configFile() {
    return config;
  }

  public ConfigFile file() {
    return ConfigFile.load(
        namedFile(), config != null ? "--config" : "ASYNQ_CONFIG", environment.home());
  }

  private @Nullable Path namedFile() {
    String variable = environment.variables().getOrDefault("ASYNQ_CONFIG", "");
    return config != null ? config : variable.isEmpty() ? null : Path.of(variable);
  }

  /** Configuration file to save a context in; it does not have to exist. */
  public ConfigFile fileToWrite() {
    Path named = namedFile();
    return named == null || named.toFile().exists()
        ? file()
        : new ConfigFile(named, ConnectionSettings.NONE, Map.of(), null);
  }

  public @Nullable Duration watch() {
    return watch;
  }

  public Printer printer() {
    if (json && output != null && output != OutputFormat.JSON) {
      throw CliException.usage("--json and --output contradict each other", "Remove one of them.");
    }
    OutputFormat format = json ? OutputFormat.JSON : output == null ? OutputFormat.TABLE : output;
    return new Printer(environment.out(), format, colors(), environment.columns());
  }

  public AnsiColors colors() {
    return new AnsiColors(useColors());
  }

  /** Whether to use colors. */
  public boolean useColors() {
    return environment.useColors() && !noColor;
  }

  static final class OutputFormatCandidates extends EnumCandidates {
    OutputFormatCandidates() {
      super(OutputFormat.values());
    }
  }

  /** Consumes the next argument only if it is a duration, because it may be a queue name. */
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
