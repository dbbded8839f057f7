package io.asynq4j.cli.dash;

import java.time.Instant;

/** What came of something, for a while. Immutable. */
record Message(String text, boolean isGood, Instant until) {}
