/** The dashboard: an HTTP API over the inspector, live pages on it, as a servlet and standalone. */
@NullMarked
package io.asynq4j.dashboard;

import org.jspecify.annotations.NullMarked;
