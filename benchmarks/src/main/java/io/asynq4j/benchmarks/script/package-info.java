/** The cost of each script. */
@NullMarked
package io.asynq4j.benchmarks.script;

import org.jspecify.annotations.NullMarked;
