package io.asynq4j.inspect;

/**
 * How far an operation on many tasks has come. Immutable.
 *
 * @param looked how many tasks it has looked at
 * @param total how many there were when it began
 * @param matched how many of those it has looked at are wanted
 * @param done how many of those it has dealt with
 * @param failed with how many of those it could not
 */
public record BulkProgress(long looked, long total, long matched, long done, long failed) {}
