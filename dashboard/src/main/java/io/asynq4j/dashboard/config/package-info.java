/** Settings of a dashboard. */
@NullMarked
package io.asynq4j.dashboard.config;

import org.jspecify.annotations.NullMarked;
