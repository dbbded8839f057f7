package io.asynq4j.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a test runs on: a version of asynq and a kind of Redis. */
record Setting(GoVersion go, Store.Kind store) {

  /** Whether everything is to run, as {@code ./check --full} has it. */
  static final boolean FULL = Boolean.getBoolean("asynq4j.full");

  /** Each with each; in the short form each version and each kind at least once. */
  static Stream<Setting> all() {
    if (!FULL) {
      return Stream.of(
          new Setting(GoVersion.RELEASED, Store.Kind.STANDALONE),
          new Setting(GoVersion.OLD, Store.Kind.CLUSTER));
    }
    List<Setting> all = new ArrayList<>();
    for (GoVersion version : GoVersion.values()) {
      // Whether it can be had is told by a test of its own, once.
      if (version != GoVersion.NEWEST_COMMIT || GoPrograms.missing(version) == null) {
        for (Store.Kind store : List.of(Store.Kind.STANDALONE, Store.Kind.CLUSTER)) {
          all.add(new Setting(version, store));
        }
      }
    }
    return all.stream();
  }

  /** For what takes long: all of them, or the first. */
  static Stream<Setting> allOrFirst() {
    return FULL ? all() : all().limit(1);
  }

  /** The newest release on one Redis. */
  static Stream<Setting> simplest() {
    return Stream.of(new Setting(GoVersion.RELEASED, Store.Kind.STANDALONE));
  }

  /** Where asynq's semaphore works: its client cannot talk to a cluster of Redis 7. */
  static Stream<Setting> ofSemaphores() {
    return Stream.of(
            new Setting(GoVersion.RELEASED, Store.Kind.STANDALONE),
            new Setting(GoVersion.OLD, Store.Kind.OLD_CLUSTER),
            new Setting(GoVersion.OLD, Store.Kind.STANDALONE),
            new Setting(GoVersion.RELEASED, Store.Kind.OLD_CLUSTER))
        .limit(FULL ? 4 : 1);
  }

  @Override
  public String toString() {
    return go + " on " + store;
  }
}
