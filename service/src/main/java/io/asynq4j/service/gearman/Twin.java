package io.asynq4j.service.gearman;

/** Another queue of a function, where a job with the same unique key may be. */
record Twin(String queue, boolean moreUrgent) {}
