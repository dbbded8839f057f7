package io.asynq4j.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.interop.peer.GoPrograms.Output;
import org.junit.jupiter.api.Test;

class GoProgramsTest {

  private static String why(String errors) {
    return GoPrograms.whyNotGiven(GoVersion.NEWEST_COMMIT, new Output(1, "", errors));
  }

  @Test
  void aRefusalIsReportedWithItsReasonButWithoutTheHost() {
    assertThat(
            why(
                """
                go: downloading github.com/hibiken/asynq v0.26.0
                go: github.com/hibiken/asynq@master: invalid version: reading \
                https://proxy.example.org:8443/go/master.info: 403 Forbidden
                \tserver response: This module version is not available.
                """))
        .isEqualTo(
            "the module proxy does not give the newest commit of asynq"
                + " (go: github.com/hibiken/asynq@master: invalid version: reading"
                + " https://…/go/master.info: 403 Forbidden)");
  }

  @Test
  void aTimeoutOrABrokenConnectionIsNotARefusal() {
    assertThat(why("no answer within 120 s"))
        .isEqualTo("there was no way to fetch the newest commit of asynq (no answer within 120 s)");
    assertThat(why("go: module lookup failed: dial tcp proxy.example.org:443: connection refused"))
        .isEqualTo(
            "there was no way to fetch the newest commit of asynq"
                + " (go: module lookup failed: dial tcp …: connection refused)");
  }
}
