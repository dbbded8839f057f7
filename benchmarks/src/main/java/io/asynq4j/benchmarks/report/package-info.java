/** Tables, thresholds and sections of documents. */
@NullMarked
package io.asynq4j.benchmarks.report;

import org.jspecify.annotations.NullMarked;
