/** Settings of a dashboard. */
@NullMarked
package io.asynq4j.dashboard.internal.config;

import org.jspecify.annotations.NullMarked;
