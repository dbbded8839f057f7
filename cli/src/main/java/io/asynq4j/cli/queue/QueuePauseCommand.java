package io.asynq4j.cli.queue;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Has nothing more taken from queues. */
@Command(
    name = "pause",
    description = "Has servers take nothing more from queues; what runs goes on.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq queue pause mail default")
final class QueuePauseCommand extends QueuePauseStateCommand {

  QueuePauseCommand() {
    super(/* paused= */ true);
  }

  /** A name that was mistyped would be paused for ever, and the right one would not be. */
  @Override
  boolean change(Inspector inspector, String queue, boolean isKnown) {
    requireKnown(queue, isKnown);
    return inspector.pause(queue);
  }
}
