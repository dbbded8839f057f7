package io.asynq4j.redis;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.redis.RedisSettings.SECRET;

import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.RedisConfig.Kind;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a Redis URI, still encoded except for the parameters. Parsed by hand, because {@link
 * java.net.URI} does not support several hosts.
 *
 * <p>No message quotes a part before the parameters: if a password contains a reserved character,
 * any of them may be a piece of it.
 */
record RedisUri(
    Scheme scheme,
    @Nullable String user,
    @Nullable String secret,
    String hosts,
    String path,
    Map<String, String> parameters) {

  /** The names of all parameters, as messages list them. */
  private static final String KNOWN_PARAMETERS =
      "db, master, username, password, connectTimeout, commandTimeout, retryFor, numberedEnqueue,"
          + " clientName, maxConnections, verifyHostname, trustStore, trustStorePassword, keyStore,"
          + " keyStorePassword";

  private static final Set<String> PARAMETERS = Set.of(KNOWN_PARAMETERS.split(", ", -1));

  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://");

  /** What follows the scheme. */
  private static final Pattern REST =
      Pattern.compile(
          "(?:(?<user>[^:/?#]*)(?::(?<secret>[^/?#]*))?@)?"
              + "(?<hosts>[^/?#]*+)(?<path>[^?#]*+)(?:\\?(?<query>[^#]*+))?");

  private static final Pattern ENDPOINT =
      Pattern.compile("(?:\\[(?<address>[^\\]]*)]|(?<name>[^:\\[]*))(?<port>:?[^:]*)");
  private static final Pattern OUTER_SLASHES = Pattern.compile("^/+|/+$");
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,9}");

  static RedisUri read(String uri) {
    String schemeText = schemeText(uri);
    require(!schemeText.isEmpty(), "It does not start with a scheme, such as redis://");
    Scheme scheme =
        Scheme.of(schemeText)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "The scheme "
                            + schemeText
                            + ":// is unknown; the known ones are "
                            + Stream.of(Scheme.values())
                                .map(s -> s.text + "://")
                                .collect(Collectors.joining(", "))));
    Matcher rest = REST.matcher(uri.substring(schemeText.length() + "://".length()));
    require(rest.matches(), "It contains a '#', which must be written %23");
    String path = rest.group("path");
    require(
        scheme.kind == Kind.SOCKET || path.indexOf('@') < 0,
        "It contains an '@' after the first '/': in a user name or password, '/' must be written"
            + " %2F and '@' %40");
    return new RedisUri(
        scheme,
        rest.group("user"),
        rest.group("secret"),
        rest.group("hosts"),
        path,
        parameters(Objects.requireNonNullElse(rest.group("query"), "")));
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> result = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      String name = name(pair);
      // With an '@' in it, what looks like parameters may be the end of a password.
      require(
          PARAMETERS.contains(name),
          (query.indexOf('@') < 0
                  ? "The parameter '" + name + "' is unknown"
                  : "A parameter is unknown, or a '?' in a password is not written %3F")
              + "; the known ones are "
              + KNOWN_PARAMETERS);
      String value = name.equals(pair) ? "" : decode(pair.substring(name.length() + 1));
      require(!value.isEmpty(), "The parameter '" + name + "' has no value");
      require(result.put(name, value) == null, "The parameter '" + name + "' is given twice");
    }
    return result;
  }

  private static String name(String pair) {
    return pair.split("=", 2)[0];
  }

  RedisConfig toConfig() {
    RedisConfig.Builder builder = RedisConfig.builder();
    applyPlace(builder);
    applyUserInfo(builder);
    String pathDatabase =
        scheme.kind == Kind.SOCKET ? "" : OUTER_SLASHES.matcher(path).replaceAll("");
    if (!pathDatabase.isEmpty()) {
      require(
          !parameters.containsKey("db"),
          "The database is given twice, in the path and as parameter 'db'");
      require(
          NUMBER.matcher(pathDatabase).matches(),
          "The path after the host must be the number of a database");
      builder.database(Integer.parseInt(pathDatabase));
    }
    parameters.forEach((name, value) -> apply(builder, name, value));
    if (scheme.tls) {
      builder.tls(tls());
    }
    return builder.build();
  }

  private void applyPlace(RedisConfig.Builder builder) {
    if (scheme.kind == Kind.SOCKET) {
      require(
          hosts.isEmpty(),
          "Only user:password@ may be between redis-socket:// and the path, which starts with"
              + " '/'");
      builder.socket(Path.of(decode(path)));
      return;
    }
    Endpoint[] endpoints =
        Stream.of(hosts.split(",", -1)).map(this::endpoint).toArray(Endpoint[]::new);
    switch (scheme.kind) {
      case SENTINEL -> builder.sentinel(parameters.getOrDefault("master", ""), endpoints);
      case CLUSTER -> builder.cluster(endpoints);
      default -> {
        require(
            endpoints.length == 1,
            "Several hosts require the scheme redis-cluster:// or redis-sentinel://");
        builder.standalone(endpoints[0].host(), endpoints[0].port());
      }
    }
  }

  private Endpoint endpoint(String text) {
    Matcher matcher = ENDPOINT.matcher(text);
    require(
        matcher.matches(),
        "A host has more than one colon: an IPv6 address is written in brackets, [::1]:6379");
    String port = matcher.group("port");
    require(
        port.isEmpty() || port.matches(":\\d{1,9}"),
        "The port after the host must be a number from 1 to 65535");
    String address = matcher.group("address");
    return new Endpoint(
        decode(address == null ? matcher.group("name") : address),
        port.isEmpty() ? scheme.defaultPort() : Integer.parseInt(port.substring(1)));
  }

  private void applyUserInfo(RedisConfig.Builder builder) {
    if (scheme.kind == Kind.SENTINEL) {
      builder.sentinelUsername(decodeOrNull(user)).sentinelPassword(decodeOrNull(secret));
      return;
    }
    require(
        user == null || !(parameters.containsKey("username") || parameters.containsKey("password")),
        "Credentials are given twice, before the host and as parameters");
    builder.username(decodeOrNull(user)).password(decodeOrNull(secret));
  }

  private void apply(RedisConfig.Builder builder, String name, String value) {
    switch (name) {
      case "db" -> builder.database(number(name, value));
      case "username" -> builder.username(value);
      case "password" -> builder.password(value);
      case "connectTimeout" -> builder.connectTimeout(duration(name, value));
      case "commandTimeout" -> builder.commandTimeout(duration(name, value));
      case "retryFor" -> builder.retryFor(duration(name, value));
      case "numberedEnqueue" -> builder.numberedEnqueue(flag(name, value));
      case "clientName" -> builder.clientName(value);
      case "maxConnections" -> builder.maxConnections(number(name, value));
      case "master" ->
          require(
              scheme.kind == Kind.SENTINEL,
              "The parameter 'master' requires the scheme redis-sentinel://");
      default ->
          require(
              scheme.tls,
              "The parameter '" + name + "' is for TLS, which requires a scheme with rediss");
    }
  }

  private TlsConfig tls() {
    TlsConfig tls =
        TlsConfig.defaults()
            .withVerifyHostname(
                flag("verifyHostname", parameters.getOrDefault("verifyHostname", "true")));
    tls = withStore(tls, "trustStore", tls::withTrustStore);
    return withStore(tls, "keyStore", tls::withKeyStore);
  }

  private TlsConfig withStore(
      TlsConfig tls, String name, BiFunction<Path, @Nullable String, TlsConfig> add) {
    String store = parameters.get(name);
    String password = parameters.get(name + "Password");
    require(
        store != null || password == null,
        name + "Password is set without " + name + ": set the store that it opens");
    return store == null ? tls : add.apply(Path.of(store), password);
  }

  private static boolean flag(String name, String value) {
    require(
        value.equals("true") || value.equals("false"),
        "The parameter '" + name + "' must be true or false, got '" + value + "'");
    return value.equals("true");
  }

  private static int number(String name, String value) {
    require(
        NUMBER.matcher(value).matches(),
        "The parameter '" + name + "' must be a number, got '" + value + "'");
    return Integer.parseInt(value);
  }

  private static Duration duration(String name, String value) {
    try {
      return DurationFormat.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The parameter '" + name + "' is invalid: " + e.getMessage(), e);
    }
  }

  private static @Nullable String decodeOrNull(@Nullable String text) {
    return text == null || text.isEmpty() ? null : decode(text);
  }

  private static String decode(String text) {
    try {
      // The decoder is meant for forms, where a plus sign is a space.
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "A '%' is not followed by two hexadecimal digits: a literal one is written %25", e);
    }
  }

  /** Returns the URI without anything that could be a password; in doubt, leaves out more. */
  static String masked(String uri) {
    String scheme = schemeText(uri);
    String start = scheme.isEmpty() ? "" : scheme + "://";
    String[] rest = uri.substring(start.length()).split("\\?", 2);
    String query = rest.length < 2 ? "" : rest[1];
    if (query.indexOf('@') >= 0) {
      return start + SECRET;
    }
    int at = rest[0].lastIndexOf('@');
    return start
        + (at < 0 ? rest[0] : SECRET + rest[0].substring(at))
        + (query.isEmpty() ? "" : "?" + maskedQuery(query));
  }

  private static String maskedQuery(String query) {
    return Stream.of(query.split("&", -1))
        .map(pair -> isPublic(name(pair)) ? pair : name(pair) + "=" + SECRET)
        .collect(Collectors.joining("&"));
  }

  private static boolean isPublic(String name) {
    return PARAMETERS.contains(name) && !name.toLowerCase(Locale.ROOT).endsWith("password");
  }

  static String example(String uri) {
    return Scheme.of(schemeText(uri)).orElse(Scheme.REDIS).example();
  }

  /** Returns the scheme in front; empty if there is none. */
  private static String schemeText(String uri) {
    Matcher matcher = SCHEME.matcher(uri);
    return matcher.lookingAt() ? matcher.group(1) : "";
  }

  private enum Scheme {
    REDIS(Kind.STANDALONE),
    REDISS(Kind.STANDALONE),
    REDIS_SOCKET(Kind.SOCKET),
    REDIS_SENTINEL(Kind.SENTINEL),
    REDISS_SENTINEL(Kind.SENTINEL),
    REDIS_CLUSTER(Kind.CLUSTER),
    REDISS_CLUSTER(Kind.CLUSTER);

    final Kind kind;
    final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');
    final boolean tls = text.startsWith("rediss");

    Scheme(Kind kind) {
      this.kind = kind;
    }

    static Optional<Scheme> of(String text) {
      String lowerCase = text.toLowerCase(Locale.ROOT);
      return Stream.of(values()).filter(s -> s.text.equals(lowerCase)).findFirst();
    }

    int defaultPort() {
      return kind == Kind.SENTINEL ? 26_379 : 6379;
    }

    String example() {
      return text
          + switch (kind) {
            case STANDALONE -> "://user:password@localhost:6379/0";
            case SOCKET -> "://user:password@/var/run/redis/redis.sock?db=0";
            case SENTINEL -> "://host1:26379,host2:26379/0?master=mymaster";
            case CLUSTER -> "://user:password@host1:6379,host2:6379";
          };
    }
  }
}
