package io.asynq4j.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The main class of a JVM that a test kills. */
final class RedisHolderMain {

  private RedisHolderMain() {}

  public static void main(String[] args) throws IOException {
    Path report = Path.of(args[0]);
    EmbeddedRedis.Builder builder = EmbeddedRedis.builder();
    if (args.length > 1) {
      builder.dataDirectory(Path.of(args[1]));
    }
    // Not closed: the test is about a JVM that cannot do that.
    EmbeddedRedis redis = builder.start();
    Path partial = report.resolveSibling("partial");
    Files.writeString(partial, redis.pid() + "\n" + redis.dataDirectory() + "\n" + redis.uri());
    Files.move(partial, report);
    // Until the parent, which holds the other end, is gone or kills this JVM.
    int end = System.in.read();
    System.exit(end);
  }
}
