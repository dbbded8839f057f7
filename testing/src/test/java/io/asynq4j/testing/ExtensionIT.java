package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes that use the extension in all the ways of JUnit. */
class ExtensionIT {

  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  /** Returns the failures, and checks the number of tests. */
  private static List<Throwable> run(int tests, Class<?>... classes) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Stream.of(classes).map(type -> selectClass(type)).toList())
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.executor-service", "FORK_JOIN_POOL")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    assertThat(listener.getSummary().getTestsFoundCount()).isEqualTo(tests);
    return listener.getSummary().getFailures().stream()
        .map(failure -> failure.getException())
        .toList();
  }

  @AsynqTest
  static class Parameters {
    private final TaskClient client;

    Parameters(TaskClient client) {
      this.client = client;
    }

    @BeforeEach
    void enqueue(TestQueues tasks) {
      tasks.refuteAnyEnqueued();
      client.enqueue(CLEANUP);
    }

    @RepeatedTest(3)
    void each(
        RedisConnection redis,
        Inspector inspector,
        Clock clock,
        TestQueues tasks,
        AsynqTestEnvironment environment) {
      tasks.assertEnqueued(CLEANUP).once();
      assertThat(inspector.queues()).containsExactly("default");
      assertThat(redis.clock().instant()).isEqualTo(clock.instant());
      assertThat(environment.tasks()).isSameAs(tasks);
    }

    @AfterEach
    void stillThere(TestQueues tasks) {
      tasks.assertEnqueued(CLEANUP);
    }
  }

  @Test
  void parametersAreResolvedEverywhereAndEachTestStartsEmpty() {
    assertThat(run(3, Parameters.class)).isEmpty();
  }

  @AsynqTest
  abstract static class Base {
    @Test
    void inherited(TaskClient client, TestQueues tasks) {
      tasks.refuteAnyEnqueued();
      client.enqueue(CLEANUP);
    }
  }

  static class Derived extends Base {

    @Nested
    class Inner {
      @Test
      void sharesTheRedisOfTheOuterClass(TaskClient client, TestQueues tasks) {
        tasks.refuteAnyEnqueued();
        client.enqueue(CLEANUP);
        tasks.assertEnqueued(CLEANUP).once();
      }

      @Nested
      class Innermost {
        @Test
        void too(TaskClient client, TestQueues tasks) {
          tasks.refuteAnyEnqueued();
          client.enqueue(CLEANUP);
        }
      }
    }
  }

  @Test
  void theAnnotationIsInheritedAndAppliesToNestedClasses() {
    assertThat(run(3, Derived.class)).isEmpty();
  }

  static class OnOneParameter {
    @Test
    void each(@ExtendWith(AsynqExtension.class) TestQueues tasks) {
      tasks.refuteAnyEnqueued();
    }
  }

  @Test
  void anExtensionOfOneParameterIsSupported() {
    assertThat(run(1, OnOneParameter.class)).isEmpty();
  }

  @AsynqTest
  @TestInstance(Lifecycle.PER_CLASS)
  static class PerClass {
    private final TaskClient client;

    PerClass(TaskClient client) {
      this.client = client;
    }

    @BeforeAll
    void all(TestQueues tasks) {
      tasks.refuteAnyEnqueued();
    }

    @RepeatedTest(2)
    void each(TestQueues tasks) {
      tasks.refuteAnyEnqueued();
      client.enqueue(CLEANUP);
      tasks.assertEnqueued(CLEANUP).once();
    }
  }

  @Test
  void oneInstancePerClassIsSupported() {
    assertThat(run(2, PerClass.class)).isEmpty();
  }

  static class Registered {
    @RegisterExtension
    static final AsynqExtension asynq =
        AsynqExtension.create()
            .handlers(Mux.builder().run(CLEANUP, (none, context) -> {}).build())
            .startingAt(Instant.parse("2031-05-06T07:08:09Z"));

    @BeforeAll
    static void all() {
      asynq.client().enqueue(CLEANUP);
    }

    @RepeatedTest(2)
    void each() {
      assertThat(asynq.tasks().now()).isEqualTo(Instant.parse("2031-05-06T07:08:09Z"));
      assertThat(asynq.clock().instant()).isEqualTo(asynq.tasks().now());
      asynq.client().enqueue(CLEANUP);
      asynq.tasks().drain().assertSucceeded();
      asynq.tasks().handlers((task, context) -> Outcome.retry("other handlers"));
      assertThat(asynq.inspector().queues()).containsExactly("default");
      assertThat(asynq.redis().clock()).isNotNull();
    }
  }

  @Test
  void anExtensionInAStaticFieldHasSettingsThatEachTestStartsWith() {
    assertThat(run(2, Registered.class)).isEmpty();
    assertThatThrownBy(Registered.asynq::tasks)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no test runs with this extension: register it with @RegisterExtension, in a static field if @BeforeAll uses it, and call it only while a test of the class runs");
  }

  static class RegisteredPerInstance {
    @RegisterExtension final AsynqExtension asynq = AsynqExtension.create();

    @RepeatedTest(2)
    void each(TestQueues tasks) {
      tasks.refuteAnyEnqueued();
      asynq.client().enqueue(CLEANUP);
      tasks.assertEnqueued(CLEANUP).once();
    }
  }

  @Test
  void anExtensionInAFieldOfTheInstanceIsSupported() {
    assertThat(run(2, RegisteredPerInstance.class)).isEmpty();
  }

  @AsynqTest
  @Execution(ExecutionMode.CONCURRENT)
  static class ParallelMethods {
    private static final AtomicInteger running = new AtomicInteger();

    @RepeatedTest(12)
    void each(TaskClient client, TestQueues tasks) {
      assertThat(running.incrementAndGet()).isEqualTo(1);
      client.enqueue(CLEANUP);
      tasks.assertEnqueued(CLEANUP).once();
      running.decrementAndGet();
    }
  }

  @Test
  void parallelMethodsOfAClassRunOneAfterTheOther() {
    assertThat(run(12, ParallelMethods.class)).isEmpty();
  }

  /** What a test that waits for a future in the pool of JUnit does: it runs queued tests. */
  private static final class QueuedTest extends RecursiveAction {
    static void run() {
      ForkJoinTask<?> next = pollTask();
      if (next != null) {
        next.invoke();
      }
    }

    @Override
    protected void compute() {}
  }

  @AsynqTest
  @Execution(ExecutionMode.CONCURRENT)
  static class TestsInsideOfTests {
    @RepeatedTest(12)
    void each(TaskClient client, TestQueues tasks) {
      client.enqueue(CLEANUP);
      QueuedTest.run();
      tasks.assertEnqueued(CLEANUP).once();
    }
  }

  @Test
  void aTestThatIsStartedInsideOfAnotherFailsAloneAndTheOtherGoesOn() {
    assertThat(run(12, TestsInsideOfTests.class))
        .isNotEmpty()
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was started inside of test"));
  }

  private static final CountDownLatch BOTH = new CountDownLatch(2);

  @Execution(ExecutionMode.CONCURRENT)
  @AsynqTest
  static class ParallelOne {
    @Test
    void waitsForTheOther(AsynqTestEnvironment asynq) throws InterruptedException {
      SEEN.add(asynq.redisUri());
      asynq.client().enqueue(CLEANUP);
      BOTH.countDown();
      BOTH.await();
      asynq.tasks().assertEnqueued(CLEANUP).once();
      asynq.tasks().refuteEnqueued(INVOICE);
    }
  }

  @Execution(ExecutionMode.CONCURRENT)
  @AsynqTest
  static class ParallelTwo {
    @Test
    void waitsForTheOther(AsynqTestEnvironment asynq) throws InterruptedException {
      SEEN.add(asynq.redisUri());
      asynq.client().enqueue(INVOICE, 1);
      BOTH.countDown();
      BOTH.await();
      asynq.tasks().assertEnqueued(INVOICE).once();
      asynq.tasks().refuteEnqueued(CLEANUP);
    }
  }

  @Test
  void parallelClassesHaveARedisEach() {
    assertThat(run(2, ParallelOne.class, ParallelTwo.class)).isEmpty();
    assertThat(SEEN).hasSize(2);
  }

  private static final AsynqExtension SHARED = AsynqExtension.create();
  private static final CountDownLatch SECOND_FAILED = new CountDownLatch(1);

  static class SharedFirst {
    @RegisterExtension static final AsynqExtension asynq = SHARED;

    @Test
    void startsTheOther() {
      List<Throwable> failures = run(1, SharedSecond.class);
      assertThat(failures).hasSize(1);
      assertThat(failures.get(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "this AsynqExtension is used by ExtensionIT$SharedFirst and ExtensionIT$SharedSecond at the same time: give each class its own, or run them one after the other with @Execution(SAME_THREAD)");
      SECOND_FAILED.countDown();
    }
  }

  static class SharedSecond {
    @RegisterExtension static final AsynqExtension asynq = SHARED;

    @Test
    void neverRuns() {}
  }

  @Test
  void anExtensionThatTwoClassesUseAtOnceIsRefused() {
    assertThat(run(1, SharedFirst.class)).isEmpty();
    assertThat(SECOND_FAILED.getCount()).isZero();
  }

  @AsynqTest
  static class UnusedFault {
    @Test
    void requestsAFaultThatNeverHappens(TestQueues tasks) {
      tasks.failNext(Fault.BEFORE_SETTLE);
    }
  }

  @Test
  void aFaultThatNeverHappensFailsTheTest() {
    assertThat(run(1, UnusedFault.class))
        .hasSize(1)
        .first()
        .satisfies(
            failure ->
                assertThat(failure)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage(
                        "failNext[BEFORE_SETTLE] was requested and never happened: the test made no call that it applies to, or made it before failNext"));
  }
}
