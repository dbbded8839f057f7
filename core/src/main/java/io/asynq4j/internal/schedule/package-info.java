/** The scheduler: due entries, leader election, firing and history. */
@NullMarked
package io.asynq4j.internal.schedule;

import org.jspecify.annotations.NullMarked;
