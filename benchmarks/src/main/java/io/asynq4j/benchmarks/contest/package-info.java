/** What a process of the comparison is told to do, whichever library is inside. */
@NullMarked
package io.asynq4j.benchmarks.contest;

import org.jspecify.annotations.NullMarked;
