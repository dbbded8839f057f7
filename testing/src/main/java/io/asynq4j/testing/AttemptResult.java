package io.asynq4j.testing;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Outcome;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of one call of a handler. Immutable.
 *
 * @param outcome the outcome that a server would apply, with its delay and text; a result is
 *     encoded
 * @param thrown what the handler threw; null if it returned
 * @param progress what the handler reported, in order
 * @param results the results that the handler wrote while it ran, in order
 */
public record AttemptResult(
    Outcome outcome, @Nullable Throwable thrown, List<Progress> progress, List<Payload> results) {

  public AttemptResult {
    progress = List.copyOf(progress);
    results = List.copyOf(results);
  }

  /** Returns what the handler threw, unless it returned. */
  public Optional<Throwable> error() {
    return Optional.ofNullable(thrown);
  }
}
