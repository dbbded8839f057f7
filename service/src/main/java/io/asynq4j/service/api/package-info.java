/** The HTTP API: routes, requests, responses and records of them. */
@NullMarked
package io.asynq4j.service.api;

import org.jspecify.annotations.NullMarked;
