package io.asynq4j.cli.queue;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Resumes queues. */
@Command(
    name = "resume",
    aliases = "unpause",
    description = "Resume paused queues.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq queue resume mail", "  asynq queue unpause mail default"})
final class QueueResumeCommand extends QueuePauseStateCommand {

  QueueResumeCommand() {
    super(/* paused= */ false);
  }

  /** A queue may have been paused before it existed. */
  @Override
  boolean change(Inspector inspector, String queue, boolean isKnown) {
    boolean changed = inspector.queue(queue).resume();
    if (!changed) {
      requireKnown(queue, isKnown);
    }
    return changed;
  }
}
