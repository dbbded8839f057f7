/** HTTP servers: the dashboard for browsers and metrics for Prometheus. */
@NullMarked
package io.asynq4j.cli.dashboard;

import org.jspecify.annotations.NullMarked;
