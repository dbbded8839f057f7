/** The HTTP API: routes, requests, responses and resources. */
@NullMarked
package io.asynq4j.dashboard.internal.api;

import org.jspecify.annotations.NullMarked;
