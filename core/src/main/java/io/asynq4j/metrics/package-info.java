/** What servers do and what is in queues, as meters of Micrometer. */
@NullMarked
package io.asynq4j.metrics;

import org.jspecify.annotations.NullMarked;
