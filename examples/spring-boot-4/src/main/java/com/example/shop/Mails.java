package com.example.shop;

import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Sends mails. */
@Component
class Mails {

  private static final Logger log = LoggerFactory.getLogger(Mails.class);

  @TaskHandler(value = "mail:order", queue = "mail", maxRetry = 5, retention = "1h")
  String confirm(OrderMail mail) {
    log.info("sent the mail about order {} to {}", mail.order(), mail.customer());
    return "sent to " + mail.customer();
  }

  @ScheduledTask(name = "daily-report", cron = "0 6 * * *", zone = "Europe/Oslo", queue = "mail")
  void report() {
    log.info("sent the daily report");
  }
}
