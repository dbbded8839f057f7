package io.asynq4j.cli.dash;

import java.time.Instant;

/** What came of something, for a while. Immutable. */
record StatusMessage(String text, boolean isGood, Instant until) {}
