package io.asynq4j.inspect;

/**
 * How far a doctor's visit is.
 *
 * @param step what is looked at just now, for people
 * @param examined how many tasks and other entries were looked at so far
 * @param found how many of them were amiss
 * @param repaired how many were put right
 */
public record DoctorProgress(String step, long examined, long found, long repaired) {}
