package io.asynq4j.cli.dash.model;

import java.time.Instant;

/** Result of an action, shown for a while. Immutable. */
public record StatusMessage(String text, boolean isGood, Instant until) {}
