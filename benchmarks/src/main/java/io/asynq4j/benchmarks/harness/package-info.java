/** What benchmarks run on and measure with. */
@NullMarked
package io.asynq4j.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
