package io.asynq4j.spring.boot.guide;

import io.asynq4j.client.TaskClient;
import io.asynq4j.spring.TaskTypes;
import io.asynq4j.spring.boot.guide.Hello.Greeting;
import io.asynq4j.spring.boot.test.AsynqSliceTest;
import io.asynq4j.testing.TestQueues;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AsynqSliceTest
class HelloIT {

  @Autowired private TaskClient client;
  @Autowired private TaskTypes types;
  @Autowired private TestQueues tasks;

  @Test
  void greetsAda() {
    client.enqueue(types.of(Greeting.class), new Greeting("Ada")).orThrow();

    tasks.assertEnqueued(types.of(Greeting.class)).with(g -> g.name().equals("Ada")).once();

    tasks.drain().assertSucceeded();
  }
}
