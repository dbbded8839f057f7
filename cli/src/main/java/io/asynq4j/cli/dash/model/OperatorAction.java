package io.asynq4j.cli.dash.model;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import java.util.Locale;

/** What an operator wants done. Immutable. */
public sealed interface OperatorAction {

  /** Does it, and says so. */
  String perform(Inspector inspector);

  record PauseQueue(String queue) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.pause(queue)
          ? "Queue \"" + queue + "\" is paused; what runs goes on."
          : "Queue \"" + queue + "\" was paused already.";
    }
  }

  record ResumeQueue(String queue) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.resume(queue)
          ? "Queue \"" + queue + "\" is resumed."
          : "Queue \"" + queue + "\" was not paused.";
    }
  }

  record RunTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.run(queue, id);
      return "Task " + id + " is pending now.";
    }
  }

  record ArchiveTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.archive(queue, id);
      return "Task " + id + " is archived.";
    }
  }

  record DeleteTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.delete(queue, id);
      return "Task " + id + " is deleted.";
    }
  }

  record CancelTask(String queue, String id, AfterCancel afterwards) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.cancel(queue, id, afterwards);
      return "Whoever runs task %s is told to stop (then: %s)."
          .formatted(id, afterwards.name().toLowerCase(Locale.ROOT));
    }
  }

  /**
   * The same with several tasks. What cannot be done with one of them does not keep it from being
   * done with the others.
   *
   * @param done what they are then, as in "3 tasks are archived."
   */
  record Many(List<OperatorAction> actions, String done) implements OperatorAction {
    public Many {
      actions = List.copyOf(actions);
    }

    @Override
    public String perform(Inspector inspector) {
      int well = 0;
      String problem = "";
      for (OperatorAction action : actions) {
        try {
          action.perform(inspector);
          well++;
        } catch (TaskNotFoundException | TaskStateException | QueueNotFoundException e) {
          problem = problem.isEmpty() ? String.valueOf(e.getMessage()) : problem;
        }
      }
      if (well < actions.size()) {
        throw new IllegalStateException(
            "%d of %d tasks are %s; of the others, the first: %s"
                .formatted(well, actions.size(), done, problem));
      }
      return "%d tasks are %s.".formatted(well, done);
    }
  }

  record PauseSchedule(String entry) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.pauseSchedule(entry)
          ? "Schedule \"" + entry + "\" is paused."
          : "Schedule \"" + entry + "\" was paused already.";
    }
  }

  record ResumeSchedule(String entry) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.resumeSchedule(entry)
          ? "Schedule \"" + entry + "\" is resumed."
          : "Schedule \"" + entry + "\" was not paused.";
    }
  }

  record RunSchedule(String entry) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.runSchedule(entry);
      return "The scheduler that leads is asked to enqueue \"" + entry + "\" now.";
    }
  }

  record QuietServer(String server) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.quietServer(server)
          ? "Server " + server + " is told to claim nothing more."
          : "Server " + server + " is gone.";
    }
  }

  record StopServer(String server) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.stopServer(server)
          ? "Server " + server + " is told to stop."
          : "Server " + server + " is gone.";
    }
  }
}
