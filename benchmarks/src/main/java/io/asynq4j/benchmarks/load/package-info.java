/** Load programs: a whole server, client or fleet under load. Not published. */
@NullMarked
package io.asynq4j.benchmarks.load;

import org.jspecify.annotations.NullMarked;
