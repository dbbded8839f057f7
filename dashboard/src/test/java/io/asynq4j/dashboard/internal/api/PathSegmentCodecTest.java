package io.asynq4j.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.http.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathSegmentCodecTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mail",
        "a b",
        "a/b",
        "..",
        ".",
        "a%2Fb",
        "~x",
        "a;b",
        "ümläut",
        "😀",
        "a\nb",
        "a\\b",
        "batch",
        "<script>",
        "a?b#c",
        "a+b",
        "{q}"
      })
  void everyNameSurvivesARoundTripThroughAPath(String name) {
    String segment = PathSegmentCodec.encode(name);

    assertThat(segment).matches("[A-Za-z0-9~%._*-]+");
    assertThat(segment).doesNotContain("%2F").isNotIn(".", "..");
    assertThat(PathSegmentCodec.decode(URLDecoder.decode(segment, StandardCharsets.UTF_8)))
        .isEqualTo(name);
  }

  @Test
  void invalidBase64IsRejected() {
    assertThatThrownBy(() -> PathSegmentCodec.decode("~!!")).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> PathSegmentCodec.decode("~_w")).isInstanceOf(Problem.class);
  }
}
