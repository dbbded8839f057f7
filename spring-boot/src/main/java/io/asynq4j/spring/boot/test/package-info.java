/**
 * Tests of Spring Boot applications with the test kit of {@code asynq4j-testing}. Start with {@link
 * io.asynq4j.spring.boot.test.AsynqSliceTest}.
 */
@NullMarked
package io.asynq4j.spring.boot.test;

import org.jspecify.annotations.NullMarked;
