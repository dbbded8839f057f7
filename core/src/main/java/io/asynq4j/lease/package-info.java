/** Tasks taken, kept and settled by hand. */
@NullMarked
package io.asynq4j.lease;

import org.jspecify.annotations.NullMarked;
