/** The load programs: what a whole server, client or fleet does under load. Never published. */
@NullMarked
package io.asynq4j.benchmarks.load;

import org.jspecify.annotations.NullMarked;
