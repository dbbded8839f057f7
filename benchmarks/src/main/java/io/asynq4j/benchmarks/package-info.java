/** Programs that put the library under load and say what it costs. Never published. */
@NullMarked
package io.asynq4j.benchmarks;

import org.jspecify.annotations.NullMarked;
