/** Looks at queues, tasks and servers, and changes what an operator wants changed. */
@NullMarked
package io.asynq4j.inspect;

import org.jspecify.annotations.NullMarked;
