/** What is served over HTTP: the dashboard for browsers, metrics for Prometheus. */
@NullMarked
package io.asynq4j.cli.dashboard;

import org.jspecify.annotations.NullMarked;
