package io.asynq4j.service.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.lease.LeasedTask.LeaseProof;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTokenTest {

  @Test
  void whatIsWrittenIsReadBack() {
    for (String name : List.of("q", "a:1", "1:2:3", "ä€😀", "with space\n", "7")) {
      LeaseProof proof = new LeaseProof(name, name + ":" + name, "123456-abc.k3.g");
      assertThat(LeaseToken.of(proof)).matches("[A-Za-z0-9_-]+");
      assertThat(LeaseToken.parse(LeaseToken.of(proof))).contains(proof);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "1:",
        "1:q",
        "1:q1:",
        "9:q1:at",
        "-1:q1:at",
        "1:q-1:at",
        "x:q1:at",
        "1: 1:at",
        "1:}1:at",
        "99999999999:q1:at"
      })
  void somethingElseIsNone(String text) {
    String token = Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    assertThat(LeaseToken.parse(token)).isEmpty();
    assertThat(LeaseToken.parse(text + "%")).isEmpty();
  }
}
