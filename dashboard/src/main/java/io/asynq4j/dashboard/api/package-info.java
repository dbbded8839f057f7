/** The HTTP API: routes, requests, responses and resources. */
@NullMarked
package io.asynq4j.dashboard.api;

import org.jspecify.annotations.NullMarked;
