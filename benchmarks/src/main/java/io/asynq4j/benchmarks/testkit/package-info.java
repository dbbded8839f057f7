/** Test classes with and without the test kit, and a program that runs one in a new JVM. */
@NullMarked
package io.asynq4j.benchmarks.testkit;

import org.jspecify.annotations.NullMarked;
