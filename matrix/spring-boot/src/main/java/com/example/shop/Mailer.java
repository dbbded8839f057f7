package com.example.shop;

import io.asynq4j.spring.TaskHandler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** Where mails end up; tests look at it, make it fail, and hold it up. */
@Component
public class Mailer {

  private final ConcurrentMap<Long, AtomicInteger> tries = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, OrderMail> sent = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, Integer> failures = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, CountDownLatch> held = new ConcurrentHashMap<>();

  @TaskHandler(value = "mail:order", queue = "mail", maxRetry = 5)
  void send(OrderMail mail) throws InterruptedException {
    int attempt = tries.computeIfAbsent(mail.order(), any -> new AtomicInteger()).incrementAndGet();
    CountDownLatch hold = held.get(mail.order());
    if (hold != null) {
      hold.await();
    }
    if (attempt <= failures.getOrDefault(mail.order(), 0)) {
      throw new IllegalStateException("the mail server does not answer");
    }
    sent.put(mail.order(), mail);
  }

  public void failFor(long order, int attempts) {
    failures.put(order, attempts);
  }

  /** Has the handler of this order wait until the latch is counted down. */
  public CountDownLatch hold(long order) {
    CountDownLatch latch = new CountDownLatch(1);
    held.put(order, latch);
    return latch;
  }

  public int triesOf(long order) {
    AtomicInteger count = tries.get(order);
    return count == null ? 0 : count.get();
  }

  public Map<Long, OrderMail> sent() {
    return sent;
  }
}
