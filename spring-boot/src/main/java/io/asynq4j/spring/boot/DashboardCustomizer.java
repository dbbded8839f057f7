package io.asynq4j.spring.boot;

import io.asynq4j.dashboard.Dashboard;

/**
 * A bean that changes the dashboard after the properties {@code asynq4j.dashboard.*} are applied,
 * such as its {@code Authenticator}. Customizers are called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface DashboardCustomizer {

  void customize(Dashboard.Builder dashboard);
}
