/** Conversion of task inputs and results to payloads and back. */
@NullMarked
package io.asynq4j.internal.codec;

import org.jspecify.annotations.NullMarked;
