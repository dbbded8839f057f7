package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Suggests the likely configuration mistake when the peer does not behave like the configured kind
 * of Redis: wrong port, TLS mismatch, a sentinel, a server without databases.
 */
record ConnectionFailureAnalyzer(RedisConfig config) {

  private static final String OTHERWISE = "; check that it runs and that the address is right";

  /** Messages of Jedis. */
  private static final Pattern STRANGE_REPLY =
      Pattern.compile("Unknown reply|Unexpected end of stream");

  /** Returns the hint for a failed connection attempt. */
  String ofFailure(JedisException failure) {
    if (config.kind() == Kind.SENTINEL && CauseFinder.find(IOException.class, failure) == null) {
      return String.valueOf(failure.getMessage()).contains("knows a primary called")
          ? "; check the parameter 'master' of the URL: it is the name behind 'sentinel monitor'"
              + " in the configuration of the sentinels"
          : OTHERWISE;
    }
    if (config.tls().isPresent()) {
      return isNoTls(failure)
          ? "; this port may not use TLS: give the TLS port, or use redis instead of rediss in the"
              + " URL"
          : OTHERWISE;
    }
    return CauseFinder.all(failure)
            .anyMatch(e -> STRANGE_REPLY.matcher(String.valueOf(e.getMessage())).find())
        ? "; this port may expect TLS, or not belong to Redis: use rediss instead of redis in the"
            + " URL, or give the port of Redis"
        : OTHERWISE;
  }

  private static boolean isNoTls(JedisException failure) {
    SSLException tlsFailure = CauseFinder.find(SSLException.class, failure);
    if (tlsFailure == null) {
      // A Redis without TLS waits for the end of what it parses as a command.
      return CauseFinder.find(SocketTimeoutException.class, failure) != null;
    }
    String text = String.valueOf(tlsFailure.getMessage()).toLowerCase(Locale.ROOT);
    return text.contains("unrecognized ssl message") || text.contains("terminated the handshake");
  }

  /** Returns the hint for an error reply; empty if the error is unknown. */
  String ofAnswer(String answer) {
    if (answer.contains("DB index is out of range")) {
      return "; it has no database "
          + config.database()
          + ": give a smaller number, or raise 'databases' in its configuration (default: 16, counted"
          + " from 0)";
    }
    if (answer.contains("unknown command")) {
      boolean asked = answer.toUpperCase(Locale.ROOT).contains("SENTINEL");
      if (config.kind() == Kind.SENTINEL && asked) {
        return "; this is a server and not a sentinel: use redis instead of redis-sentinel in the"
            + " URL, or give the addresses of the sentinels (default port: 26379)";
      }
      return config.kind() == Kind.STANDALONE
          ? "; if this is a sentinel, use redis-sentinel instead of redis in the URL"
          : "";
    }
    if (answer.contains("cluster support disabled")) {
      return "; this is a single server: use redis instead of redis-cluster in the URL";
    }
    if (answer.contains("SELECT is not allowed in cluster mode")) {
      return "; this is a cluster, which has no databases: use redis-cluster in the URL, without a"
          + " database";
    }
    return answer.contains("without any password configured")
        ? "; this Redis has no password: remove it from the URL"
        : "";
  }
}
