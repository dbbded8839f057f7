package com.example.shop;

import io.asynq4j.TaskType;
import java.time.Instant;
import java.util.List;

/** The payload of a task: confirms an order. */
public record OrderMail(long order, String customer, List<String> items, Instant orderedAt) {

  public static final TaskType<OrderMail> TYPE =
      TaskType.of("mail:order", OrderMail.class).with(o -> o.queue("mail").maxRetry(5));
}
