package io.asynq4j.service.gearman.job;

/**
 * Another queue of a function, in which a job with the same unique key may be.
 *
 * @param moreUrgent whether the queue has a higher priority
 */
record DuplicateQueue(String queue, boolean moreUrgent) {}
