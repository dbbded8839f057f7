/** The HTTP API: server, routes, requests, endpoints and records of requests. */
@NullMarked
package io.asynq4j.service.api;

import org.jspecify.annotations.NullMarked;
