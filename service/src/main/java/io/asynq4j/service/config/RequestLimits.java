package io.asynq4j.service.config;

/**
 * Maximum sizes of requests. Immutable.
 *
 * @param body bytes of a request
 * @param batch bytes of a request with many tasks
 * @param batchLines tasks of a request with many tasks
 */
public record RequestLimits(int body, int batch, int batchLines) {}
