/**
 * The gearman gateway: gearman's clients and workers on asynq4j's queues. docs/guides/gearman.md
 * tells what stands for what.
 *
 * <p>One thread, the {@code EventLoop}, reads and writes all connections and owns what is known of
 * them. Whatever asks Redis runs on a desk of its own and comes back to the loop.
 */
@NullMarked
package io.asynq4j.service.gearman;

import org.jspecify.annotations.NullMarked;
