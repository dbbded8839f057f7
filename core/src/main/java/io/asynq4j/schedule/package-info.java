/** Enqueues tasks again and again, by cron or at intervals. */
@NullMarked
package io.asynq4j.schedule;

import org.jspecify.annotations.NullMarked;
