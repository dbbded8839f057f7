/** The comparison with other libraries. */
@NullMarked
package io.asynq4j.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
