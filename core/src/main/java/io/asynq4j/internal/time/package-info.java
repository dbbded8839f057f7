/** Time arithmetic without overflow. */
@NullMarked
package io.asynq4j.internal.time;

import org.jspecify.annotations.NullMarked;
