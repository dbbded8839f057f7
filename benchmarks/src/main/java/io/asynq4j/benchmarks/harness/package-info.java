/** Infrastructure of the benchmarks: Redis, servers, child processes, proxies and recorders. */
@NullMarked
package io.asynq4j.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
