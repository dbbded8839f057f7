package io.asynq4j.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Gives a test with an application context the Redis of the test kit, empty before each test, and a
 * bean of type {@code TestQueues}. Needs {@code asynq4j-testing} on the class path.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AsynqSliceTest
 * class SignUpTest {
 *   @Autowired SignUp signUp;
 *   @Autowired TestQueues tasks;
 *
 *   @Test
 *   void welcomesNewUsers() {
 *     signUp.register("ada@example.com");
 *     tasks.assertEnqueued(WELCOME_EMAIL).once();
 *     tasks.drain().assertSucceeded();
 *   }
 * }
 * }</pre>
 *
 * <p>Servers and the scheduler of the application do not start: {@code TestQueues} runs handlers on
 * the thread of the test, with the middleware and settings of the application, and {@code advance}
 * fires schedules.
 *
 * <p>Redis takes no part in transactions. A task that is enqueued in a transaction stays enqueued
 * when the transaction rolls back, also at the end of a {@code @Transactional} test. A task that is
 * enqueued after the commit, such as by {@code @TransactionalEventListener}, is not enqueued by
 * such a test unless it commits with {@code TestTransaction}; a failed assertion then reports that
 * the transaction is still active.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(AsynqSliceConfiguration.class)
public @interface AsynqSliceTest {

  /**
   * Name of the server whose handlers and settings {@code TestQueues} uses. Default: the only one,
   * or {@code default} of several.
   */
  String server() default "";
}
