package io.asynq4j.cli.settings;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Kind;
import java.util.stream.Collectors;

/** Formats the URL of a Redis without passwords. */
public final class RedactedRedisUrl {

  private RedactedRedisUrl() {}

  public static String of(RedisConfig config) {
    String scheme = config.tls().isPresent() ? "rediss" : "redis";
    String user = config.username().map(name -> name + "@").orElse("");
    if (config.kind() == Kind.SOCKET) {
      return "redis-socket://"
          + user
          + config.socketPath().orElseThrow()
          + database(config, "?db=");
    }
    String hosts =
        config.endpoints().stream().map(Object::toString).collect(Collectors.joining(","));
    return switch (config.kind()) {
      case SENTINEL ->
          scheme
              + "-sentinel://"
              + hosts
              + database(config, "/")
              + "?master="
              + config.masterName().orElseThrow();
      case CLUSTER -> scheme + "-cluster://" + user + hosts;
      default -> scheme + "://" + user + hosts + database(config, "/");
    };
  }

  private static String database(RedisConfig config, String before) {
    return config.database() == 0 ? "" : before + config.database();
  }
}
