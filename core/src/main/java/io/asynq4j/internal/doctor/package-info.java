/** The doctor's scan: finds inconsistencies, checks them a second time, counts and repairs them. */
@NullMarked
package io.asynq4j.internal.doctor;

import org.jspecify.annotations.NullMarked;
