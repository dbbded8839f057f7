/** The claim loop: selects the queues that provide tasks for idle workers. */
@NullMarked
package io.asynq4j.internal.server.claim;

import org.jspecify.annotations.NullMarked;
