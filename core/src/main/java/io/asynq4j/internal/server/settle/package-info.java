/** Settling of attempts, and writing of progress and results, in batches. */
@NullMarked
package io.asynq4j.internal.server.settle;

import org.jspecify.annotations.NullMarked;
