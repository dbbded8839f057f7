package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.spring.InvalidTaskBeansException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What Spring Boot prints when an application does not start, and what a native image contains. */
class StartupTest {

  private static FailureAnalysis analyze(Throwable failure) {
    return SpringFactoriesLoader.forDefaultResourceLocation()
        .load(
            FailureAnalyzer.class,
            SpringFactoriesLoader.FailureHandler.handleMessage((message, error) -> {}))
        .stream()
        .filter(analyzer -> analyzer.getClass().getPackageName().startsWith("io.asynq4j"))
        .map(analyzer -> analyzer.analyze(failure))
        .filter(analysis -> analysis != null)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aSettingIsReportedWithWhatToDo() {
    FailureAnalysis analysis =
        analyze(
            new IllegalStateException(
                new InvalidAsynqSettingException("no Redis is configured", "set its URL")));

    assertThat(analysis.getDescription()).isEqualTo("No Redis is configured.");
    assertThat(analysis.getAction()).isEqualTo("Set its URL.");
  }

  @Test
  void beansAreReportedAsAList() {
    FailureAnalysis analysis =
        analyze(new InvalidTaskBeansException(List.of("bean \"mails\": two handlers")));

    assertThat(analysis.getDescription()).contains("- bean \"mails\": two handlers");
    assertThat(analysis.getAction()).contains("Correct the listed beans");
  }

  @Test
  void scriptsAndPagesAreInANativeImage() {
    RuntimeHints hints = new RuntimeHints();

    new AsynqRuntimeHints().registerHints(hints, null);

    for (String resource :
        List.of(
            "io/asynq4j/internal/redis/script/lua/claim.lua",
            "io/asynq4j/dashboard/web/index.html",
            "io/asynq4j/dashboard/web/vendor/lit-html/lit-html.js")) {
      assertThat(getClass().getClassLoader().getResource(resource)).as(resource).isNotNull();
      assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(hints);
    }
  }
}
