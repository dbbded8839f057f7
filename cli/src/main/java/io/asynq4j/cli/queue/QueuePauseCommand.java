package io.asynq4j.cli.queue;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Pauses queues. */
@Command(
    name = "pause",
    description = "Pause queues: servers stop claiming their tasks. Running tasks continue.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq queue pause mail default")
final class QueuePauseCommand extends QueuePauseStateCommand {

  QueuePauseCommand() {
    super(/* paused= */ true);
  }

  /** Pausing a mistyped name would have no effect on the queue that was meant. */
  @Override
  boolean change(Inspector inspector, String queue, boolean isKnown) {
    requireKnown(queue, isKnown);
    return inspector.queue(queue).pause();
  }
}
