/** Parts of the Micrometer binders. */
@NullMarked
package io.asynq4j.internal.metrics;

import org.jspecify.annotations.NullMarked;
