package io.asynq4j.internal.time;

import java.time.Duration;

/**
 * Bounds of the elapsed time by a monotonic timer: steps of the store's clock are excluded.
 *
 * @param least the time that has certainly passed, at most what this process has observed
 * @param most the time that may have passed, if the clock did not step before this process read it
 */
public record ElapsedBounds(Duration least, Duration most) {}
