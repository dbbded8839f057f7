package io.asynq4j.interop;

import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a test runs on: a version of asynq and a kind of Redis. */
record InteropSetup(GoVersion go, TestRedis.Kind store) {

  /** Whether all setups run, as with {@code ./check --full}. */
  static final boolean FULL = Boolean.getBoolean("asynq4j.full");

  /** All combinations; in the short form each version and each kind at least once. */
  static Stream<InteropSetup> all() {
    if (!FULL) {
      return Stream.of(
          new InteropSetup(GoVersion.RELEASED, TestRedis.Kind.STANDALONE),
          new InteropSetup(GoVersion.OLD, TestRedis.Kind.CLUSTER));
    }
    List<InteropSetup> all = new ArrayList<>();
    for (GoVersion version : GoVersion.values()) {
      // Another test reports once whether it is available.
      if (version != GoVersion.NEWEST_COMMIT || GoPrograms.missing(version) == null) {
        for (TestRedis.Kind store : List.of(TestRedis.Kind.STANDALONE, TestRedis.Kind.CLUSTER)) {
          all.add(new InteropSetup(version, store));
        }
      }
    }
    return all.stream();
  }

  /** For long tests: all of them, or the first. */
  static Stream<InteropSetup> allOrFirst() {
    return FULL ? all() : all().limit(1);
  }

  /** The newest release on one Redis. */
  static Stream<InteropSetup> simplest() {
    return Stream.of(new InteropSetup(GoVersion.RELEASED, TestRedis.Kind.STANDALONE));
  }

  /** Where asynq's semaphore works: its client cannot talk to a cluster of Redis 7. */
  static Stream<InteropSetup> ofSemaphores() {
    return Stream.of(
            new InteropSetup(GoVersion.RELEASED, TestRedis.Kind.STANDALONE),
            new InteropSetup(GoVersion.OLD, TestRedis.Kind.OLD_CLUSTER),
            new InteropSetup(GoVersion.OLD, TestRedis.Kind.STANDALONE),
            new InteropSetup(GoVersion.RELEASED, TestRedis.Kind.OLD_CLUSTER))
        .limit(FULL ? 4 : 1);
  }

  @Override
  public String toString() {
    return go + " on " + store;
  }
}
