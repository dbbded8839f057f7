package io.asynq4j.embedded;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings with which a server is started. */
record ServerSettings(
    @Nullable RedisBinary binary,
    int port,
    @Nullable Path dataDirectory,
    String appendFsync,
    @Nullable String password,
    @Nullable Path unixSocket,
    List<Directive> directives,
    List<String> secrets,
    boolean sentinel) {

  /** A configuration line. The value is written unchanged and may consist of several words. */
  record Directive(String name, String value) {}

  boolean isCluster() {
    return directives.stream()
        .anyMatch(d -> d.name().equalsIgnoreCase("cluster-enabled") && d.value().equals("yes"));
  }

  String configFile(int actualPort, Path directory) {
    RedisConfWriter text =
        new RedisConfWriter()
            .line("bind", EmbeddedRedis.HOST)
            .line("protected-mode", "yes")
            .line("port", Integer.toString(actualPort))
            .line("daemonize", "no")
            .line("logfile", "")
            .quoted("dir", directory.toString());
    if (password != null) {
      text.quoted("requirepass", password);
    }
    if (!sentinel) {
      text.line("save", "")
          .line("appendonly", dataDirectory == null ? "no" : "yes")
          .line("appendfsync", appendFsync);
    }
    if (unixSocket != null) {
      text.quoted("unixsocket", unixSocket.toString()).line("unixsocketperm", "700");
    }
    directives.forEach(d -> text.line(d.name(), d.value()));
    return text.toString();
  }

  /** Removes secrets: Redis repeats a configuration line that it cannot parse. */
  String withoutSecrets(String message) {
    String clean = message;
    for (String secret : secrets) {
      String quoted = RedisConfWriter.quote(secret);
      clean = clean.replace(quoted.substring(1, quoted.length() - 1), "***").replace(secret, "***");
    }
    return clean;
  }

  @Override
  public String toString() {
    return "ServerSettings[port=" + port + "]";
  }
}
