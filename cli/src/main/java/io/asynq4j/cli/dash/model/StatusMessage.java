package io.asynq4j.cli.dash.model;

import java.time.Instant;

/** What came of something, for a while. Immutable. */
public record StatusMessage(String text, boolean isGood, Instant until) {}
