package io.asynq4j.server;

import io.asynq4j.broker.Settlement;
import io.asynq4j.server.ServerListener.Ending;
import org.jspecify.annotations.Nullable;

/** What is to become of a task after an attempt. */
record Ended(Ending ending, Settlement settlement, @Nullable Throwable error) {}
