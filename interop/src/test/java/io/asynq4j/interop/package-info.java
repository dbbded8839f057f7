/** Tests in which the real asynq, in Go, works on the same Redis as ours. */
@NullMarked
package io.asynq4j.interop;

import org.jspecify.annotations.NullMarked;
