package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.EnumCandidates;
import io.asynq4j.inspect.TaskAction;

/** The states in which an action is possible, for help and completion. */
abstract class StateCandidates extends EnumCandidates {

  private StateCandidates(TaskAction action) {
    super(action.states().toArray(TaskState[]::new));
  }

  static final class OfRun extends StateCandidates {
    OfRun() {
      super(TaskAction.RUN);
    }
  }

  static final class OfArchive extends StateCandidates {
    OfArchive() {
      super(TaskAction.ARCHIVE);
    }
  }

  static final class OfDelete extends StateCandidates {
    OfDelete() {
      super(TaskAction.DELETE);
    }
  }

  static final class OfMove extends StateCandidates {
    OfMove() {
      super(TaskAction.MOVE);
    }
  }

  static final class OfReschedule extends StateCandidates {
    OfReschedule() {
      super(TaskAction.RESCHEDULE);
    }
  }
}
