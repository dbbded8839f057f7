package io.asynq4j.cli.dash.model;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import java.util.Locale;

/** Action requested by the user. Immutable. */
public sealed interface OperatorAction {

  /** Performs the action and returns a message. */
  String perform(Inspector inspector);

  record PauseQueue(String queue) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.queue(queue).pause()
          ? "Queue \"" + queue + "\" is paused. Running tasks continue."
          : "Queue \"" + queue + "\" was already paused.";
    }
  }

  record ResumeQueue(String queue) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.queue(queue).resume()
          ? "Queue \"" + queue + "\" is resumed."
          : "Queue \"" + queue + "\" was not paused.";
    }
  }

  record RunTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.queue(queue).run(id);
      return "Task " + id + " is pending.";
    }
  }

  record ArchiveTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.queue(queue).archive(id);
      return "Task " + id + " is archived.";
    }
  }

  record DeleteTask(String queue, String id) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.queue(queue).delete(id);
      return "Task " + id + " is deleted.";
    }
  }

  record CancelTask(String queue, String id, AfterCancel afterwards) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      inspector.queue(queue).cancel(id, afterwards);
      return "Task %s is being cancelled (then: %s)."
          .formatted(id, afterwards.name().toLowerCase(Locale.ROOT));
    }
  }

  /**
   * The same action for several tasks. A failure for one task does not affect the others.
   *
   * @param done result, as in "3 tasks are archived."
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
            "%d of %d tasks are %s. First error: %s"
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
          : "Schedule \"" + entry + "\" was already paused.";
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
      return "Asked the leading scheduler to enqueue \"" + entry + "\" now.";
    }
  }

  record QuietServer(String server) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.quietServer(server)
          ? "Server " + server + " was asked to stop claiming tasks."
          : "Server " + server + " is no longer running.";
    }
  }

  record StopServer(String server) implements OperatorAction {
    @Override
    public String perform(Inspector inspector) {
      return inspector.stopServer(server)
          ? "Server " + server + " was asked to stop."
          : "Server " + server + " is no longer running.";
    }
  }
}
