package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoVersion;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that the versions that other tests use are available, and reports missing ones. */
class GoVersionsIT {

  @ParameterizedTest
  @EnumSource
  void eachVersionIsTestedAndMatchesItsName(GoVersion version) throws IOException {
    boolean isNewest = version == GoVersion.NEWEST_COMMIT;
    Assumptions.assumeTrue(
        InteropSetup.FULL || !isNewest,
        "the newest commit of asynq, and each version on each Redis: in ./check --full");
    GoPeer peer = new GoPeer(GoPrograms.peer(version), "");

    assertThat(InteropSetup.all()).extracting(InteropSetup::go).contains(version);
    assertThat(peer.version()).isEqualTo(GoPrograms.asked(version));
    if (isNewest) {
      assertThat(peer.version()).isNotEqualTo(GoPrograms.asked(GoVersion.RELEASED));
    } else {
      assertThat(peer.version().replace("v", "asynq ")).startsWith(version.toString());
    }
  }
}
