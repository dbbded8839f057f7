package io.asynq4j.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskServers;
import io.asynq4j.testing.TestQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = "asynq4j.scheduler.instant-header=fires-at")
@AsynqSliceTest
class AsynqSliceIT {

  private static final TaskType<String> WELCOME =
      TaskType.of("email:welcome", String.class).with(o -> o.queue("mail"));

  /** An application without a database. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableTransactionManagement
  static class Application {
    @Bean
    SignUp signUp(TaskClient client, ApplicationEventPublisher events) {
      return new SignUp(client, events);
    }

    @Bean
    AbstractPlatformTransactionManager transactionManager() {
      return new NothingTransactionManager();
    }
  }

  private static final class NothingTransactionManager extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

    @Override
    protected Object doGetTransaction() {
      return new Object();
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
      return TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
  }

  record Registered(String address) {}

  static class SignUp {
    private final List<String> done = new ArrayList<>();
    private final TaskClient client;
    private final ApplicationEventPublisher events;

    SignUp(TaskClient client, ApplicationEventPublisher events) {
      this.client = client;
      this.events = events;
    }

    List<String> done() {
      return done;
    }

    void register(String address) {
      client.enqueue(WELCOME, address).orThrow();
    }

    @Transactional
    public void registerAfterCommit(String address) {
      events.publishEvent(new Registered(address));
    }

    @TransactionalEventListener
    public void registered(Registered event) {
      register(event.address());
    }

    @TaskHandler(value = "email:welcome", queue = "mail")
    public void welcome(String address) {
      done.add("welcome " + address);
    }

    @ScheduledTask(name = "digest", cron = "0 3 * * *")
    public void digest(TaskContext context) {
      assertThat(context.headers()).containsKey("fires-at");
      done.add("digest");
    }
  }

  @Autowired private TestQueues tasks;
  @Autowired private SignUp signUp;
  @Autowired private TaskServers servers;

  @BeforeEach
  void forget() {
    signUp.done().clear();
  }

  @RepeatedTest(2)
  void redisIsEmptyBeforeEachTest() {
    tasks.refuteAnyEnqueued();
    signUp.register("ada@example.com");
    tasks.assertEnqueued(WELCOME).inQueue("mail").once();
  }

  @Test
  void handlersOfTheApplicationRunOnTheThreadOfTheTest() {
    signUp.register("ada@example.com");
    assertThat(servers.find("default")).isEmpty();

    tasks.drain();

    assertThat(signUp.done()).containsExactly("welcome ada@example.com");
  }

  @Test
  void schedulesFireWhenTimeIsMoved() {
    tasks.advance(Duration.ofDays(1));
    tasks.drain().assertSucceeded();

    assertThat(signUp.done()).containsExactly("digest");
  }

  @Test
  @Transactional
  void aTaskStaysEnqueuedWhenItsTransactionRollsBack() {
    signUp.register("ada@example.com");

    TestTransaction.end();

    tasks.assertEnqueued(WELCOME).once();
  }

  @Test
  @Transactional
  void aTaskThatWaitsForTheCommitIsEnqueuedByIt() {
    signUp.registerAfterCommit("ada@example.com");
    tasks.refuteEnqueued(WELCOME);
    assertThatThrownBy(() -> tasks.assertEnqueued(WELCOME))
        .hasMessageStartingWith("Expected a task email:welcome that waits, found none.")
        .hasMessageContaining("The transaction of this test is active")
        .hasMessageContaining("TestTransaction.flagForCommit()");

    TestTransaction.flagForCommit();
    TestTransaction.end();

    tasks.assertEnqueued(WELCOME).once();
  }

  @Test
  @Transactional
  void aTaskThatWaitsForTheCommitIsNeverEnqueuedAfterARollback() {
    signUp.registerAfterCommit("ada@example.com");

    TestTransaction.end();

    tasks.refuteEnqueued(WELCOME);
    assertThatThrownBy(() -> tasks.assertEnqueued(WELCOME))
        .hasMessage("Expected a task email:welcome that waits, found none.");
  }
}
