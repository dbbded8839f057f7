package io.asynq4j.internal.time;

import java.time.Duration;

/**
 * How much time has passed, by a steady timer: steps of the store's clock are left out.
 *
 * @param least what has passed for certain: no more than this process has observed
 * @param most what may have passed, if the clock did not step before this process looked at it
 */
public record ElapsedBounds(Duration least, Duration most) {}
