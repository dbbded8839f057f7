package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Settings that a dashboard rejects. */
@SuppressWarnings("NullAway.Init") // Set before each test.
class DashboardBuilderIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private Dashboard.Builder builder;

  @BeforeEach
  void create() {
    builder = Dashboard.builder(on.redis);
  }

  private static TrustedProxy proxy(String address) {
    return TrustedProxy.of(List.of(address), "X-Forwarded-User", Grant.of(Role.VIEWER));
  }

  @Test
  void aSecondTrustedProxyIsRejectedBecauseAddressesOfTheFirstWouldStayTrusted() {
    builder.access(a -> a.trustedProxy(proxy("10.0.0.7")));

    assertThatThrownBy(() -> builder.access(a -> a.trustedProxy(proxy("10.1.0.0/16"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "trustedProxy is set for [10.0.0.7] and cannot be set for [10.1.0.0/16] too: list all addresses in one TrustedProxy");
  }

  @Test
  void aDashboardOfMetricsOnlyNeedsMetrics() {
    builder.metrics(false).metricsOnly();

    assertThatThrownBy(builder::servlet)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("metricsOnly()", "metrics(false)");
    assertThatThrownBy(Dashboard.builder(on.redis).port(0).metricsOnly().metrics(false)::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("metricsOnly()", "metrics(false)");
  }

  @Test
  void valuesOutOfRangeAreRejectedWithTheRange() {
    assertThatThrownBy(() -> builder.port(65_536)).hasMessage("port must be 0 to 65535, got 65536");
    assertThatThrownBy(() -> builder.refresh(Duration.ofMillis(99)))
        .hasMessage("refresh must be 100 ms to 1 minute, got PT0.099S");
    assertThatThrownBy(() -> builder.archive(a -> a.maxSize(-1)))
        .hasMessage("maxSize must be 0 or greater, got -1");
  }
}
