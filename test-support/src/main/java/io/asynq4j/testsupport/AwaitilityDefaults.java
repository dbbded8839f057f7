package io.asynq4j.testsupport;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets how tests wait, once per JVM. JUnit finds it as a service.
 *
 * <p>A condition may throw as long as its world is not there yet, such as when the first row of an
 * empty list is read; when the time is over, the last exception is reported. The limit is generous,
 * since a machine may be busy with other work, and costs a passing test nothing.
 */
public final class AwaitilityDefaults implements LauncherSessionListener {

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    Awaitility.setDefaultPollInterval(Duration.ofMillis(50));
    Awaitility.ignoreExceptionsByDefault();
  }
}
