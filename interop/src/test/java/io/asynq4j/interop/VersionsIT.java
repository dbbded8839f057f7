package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Says which versions the other tests could not run with. */
class VersionsIT {

  @Test
  void theNewestCommitIsAmongThoseThatAreTested() {
    Assumptions.assumeTrue(
        Setting.FULL,
        "the newest commit of asynq, and each version on each Redis: in ./check --full");
    GoPrograms.peer(GoVersion.NEWEST_COMMIT);
    assertThat(Setting.all()).extracting(Setting::go).contains(GoVersion.NEWEST_COMMIT);
  }
}
