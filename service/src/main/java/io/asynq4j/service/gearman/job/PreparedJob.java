package io.asynq4j.service.gearman.job;

import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.service.gearman.session.ClientSession;
import java.util.List;
import java.util.Map;

/**
 * A job that is ready to be enqueued.
 *
 * @param headers of the request
 * @param duplicateQueues other queues where a job with its unique key may be
 */
record PreparedJob(
    JobSubmission job,
    JobKey key,
    Map<String, String> headers,
    EnqueueRequest request,
    List<DuplicateQueue> duplicateQueues) {

  boolean isAwaited() {
    return !job.background();
  }

  ClientSession client() {
    return job.client();
  }
}
