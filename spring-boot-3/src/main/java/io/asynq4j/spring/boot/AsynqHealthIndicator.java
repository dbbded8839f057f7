package io.asynq4j.spring.boot;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** Is down only if Redis does not respond: failed or late tasks are no reason to restart. */
final class AsynqHealthIndicator extends AbstractHealthIndicator {

  private final HealthDetails details;

  AsynqHealthIndicator(HealthDetails details) {
    super("tasks: Redis does not respond");
    this.details = details;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    details.requireRedis();
    health.up().withDetails(details.read());
  }
}
