package com.example.shop;

import io.asynq4j.spring.TaskTypes;
import io.asynq4j.spring.boot.test.AsynqSliceTest;
import io.asynq4j.testing.TestQueues;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(webEnvironment = WebEnvironment.MOCK, properties = "asynq4j.embedded=false")
@AsynqSliceTest
class OrdersIT {

  @Autowired private Orders orders;
  @Autowired private TaskTypes types;
  @Autowired private TestQueues tasks;

  @Test
  void anOrderIsConfirmedByMail() {
    orders.order("Ada");

    tasks
        .assertEnqueued(types.of(OrderMail.class))
        .with(mail -> mail.customer().equals("Ada"))
        .inQueue("mail")
        .once();

    tasks.drain();
    tasks.assertCompleted(types.of(OrderMail.class)).once();
  }
}
