package io.asynq4j.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a real Redis that is empty before each test, and resolves parameters
 * of the types {@link TestQueues}, {@code TaskClient}, {@code RedisConnection}, {@code Inspector},
 * {@code java.time.Clock} and {@link AsynqTestEnvironment}.
 *
 * <pre>{@code
 * @AsynqTest
 * class SignUpTest {
 *   @Test
 *   void welcomesNewUsers(TaskClient client, TestQueues tasks) {
 *     new SignUp(client).register("ada@example.com");
 *     tasks.assertEnqueued(WELCOME_EMAIL).inQueue("mail").once();
 *   }
 * }
 * }</pre>
 *
 * <p>Works with JUnit 5 (5.10 or newer) and JUnit 6. For settings, such as handlers, register an
 * {@link AsynqExtension} instead.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@ExtendWith(AsynqExtension.class)
public @interface AsynqTest {}
