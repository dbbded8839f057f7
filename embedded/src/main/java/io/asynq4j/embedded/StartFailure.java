package io.asynq4j.embedded;

import java.util.regex.Pattern;

/** Describes why a server did not start, and what to do about it. */
final class StartFailure {

  // The messages of glibc and of musl, with which the bundled binary is linked.
  private static final Pattern ADDRESS_IN_USE = Pattern.compile("Address (already )?in use");

  private final String log;

  /**
   * @param log the end of the server's log
   */
  StartFailure(String log) {
    this.log = log;
  }

  boolean isPortInUse() {
    return ADDRESS_IN_USE.matcher(log).find();
  }

  EmbeddedRedisException exception(RedisBinary binary, ServerSettings settings) {
    String advice =
        log.contains("Permission denied") && !log.contains("listening")
            ? " (if programs may not be run from there, the system property "
                + RedisBinary.CACHE_PROPERTY
                + " names another directory)"
            : "";
    return new EmbeddedRedisException(
        "Redis from "
            + binary
            + " did not start"
            + advice
            + "; the end of its log:\n"
            + settings.withoutSecrets(log));
  }

  static EmbeddedRedisException portInUse(int port) {
    return new EmbeddedRedisException(
        "Port "
            + port
            + " of "
            + EmbeddedRedis.HOST
            + " is already in use. Stop the process that listens on it, choose another port, or"
            + " choose none to get a free one; to use a Redis that already runs there, use its URL"
            + " instead.");
  }
}
