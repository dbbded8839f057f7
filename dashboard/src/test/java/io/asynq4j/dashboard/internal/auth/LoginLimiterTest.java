package io.asynq4j.dashboard.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.dashboard.internal.auth.LoginLimiter.Login;
import io.asynq4j.http.Problem;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoginLimiterTest {

  private final AtomicLong nanos = new AtomicLong();
  private final LoginLimiter limiter = new LoginLimiter(nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private void fail(int times, String name, String network) {
    for (int i = 0; i < times; i++) {
      limiter.failed(new Login(name, network));
    }
  }

  private void assertMayTry(String name, String network) {
    assertThatCode(() -> limiter.check(new Login(name, network))).doesNotThrowAnyException();
  }

  private void assertMustWait(String name, String network) {
    assertThatThrownBy(() -> limiter.check(new Login(name, network)))
        .isInstanceOfSatisfying(Problem.class, e -> assertThat(e.status()).isEqualTo(429));
  }

  @Test
  void aNameWaitsInItsNetworkTwiceAsLongAfterEachFurtherFailure() {
    fail(LoginLimiter.PER_NAME, "anna", "a");

    assertMustWait("anna", "a");
    assertMayTry("anna", "b");
    assertMayTry("otto", "a");
    pass(Duration.ofSeconds(2));
    assertMayTry("anna", "a");

    fail(1, "anna", "a");
    pass(Duration.ofSeconds(3));
    assertMustWait("anna", "a");
    pass(Duration.ofSeconds(1));
    assertMayTry("anna", "a");
  }

  @Test
  void aNetworkThatGuessesManyNamesIsDelayedExceptForNamesThatLoggedInThere() {
    limiter.succeeded(new Login("anna", "a"));
    for (int i = 0; i < LoginLimiter.PER_NETWORK; i++) {
      fail(1, "guess" + i, "a");
    }

    assertMustWait("otto", "a");
    assertMayTry("anna", "a");
    assertMayTry("otto", "b");
  }

  @Test
  void aNameThatIsTriedFromManyNetworksWaitsInNewOnesOnly() {
    limiter.succeeded(new Login("otto", "office"));
    for (int i = 0; i < LoginLimiter.PER_NAME_EVERYWHERE; i++) {
      fail(1, "anna", "bot" + i);
    }

    assertMustWait("anna", "cafe");
    assertMayTry("anna", "office");
  }

  @Test
  void aLoginIsRememberedForADay() {
    limiter.succeeded(new Login("anna", "office"));
    pass(LoginLimiter.KNOWN);
    for (int i = 0; i < LoginLimiter.PER_NAME_EVERYWHERE; i++) {
      fail(1, "anna", "bot" + i);
    }

    assertMustWait("anna", "office");
  }

  @Test
  void aSuccessForgetsTheFailuresOfThatNameThere() {
    fail(LoginLimiter.PER_NAME - 1, "anna", "a");
    limiter.succeeded(new Login("anna", "a"));
    fail(LoginLimiter.PER_NAME - 1, "anna", "a");

    assertMayTry("anna", "a");
  }
}
