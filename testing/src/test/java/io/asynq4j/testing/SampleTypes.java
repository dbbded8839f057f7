package io.asynq4j.testing;

import io.asynq4j.TaskType;

/** Task types of the tests. */
final class SampleTypes {

  record Mail(String to, String language) {}

  static final TaskType<Mail> MAIL =
      TaskType.of("email:welcome", Mail.class).with(o -> o.queue("mail").maxRetry(3));
  static final TaskType<Integer> INVOICE = TaskType.of("invoice", Integer.class);
  static final TaskType<Void> CLEANUP = TaskType.of("cleanup");

  static final Mail ADA = new Mail("ada@example.com", "en");

  private SampleTypes() {}
}
