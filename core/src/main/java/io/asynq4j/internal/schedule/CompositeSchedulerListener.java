package io.asynq4j.internal.schedule;

import io.asynq4j.schedule.SchedulerListener;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Combines several listeners into one that never throws. */
public final class CompositeSchedulerListener implements SchedulerListener {

  private static final Logger log = LoggerFactory.getLogger(CompositeSchedulerListener.class);

  private final List<SchedulerListener> all;

  public CompositeSchedulerListener(List<SchedulerListener> all) {
    this.all = List.copyOf(all);
  }

  @Override
  public void beforeEnqueue(Firing firing) {
    each(firing, listener -> listener.beforeEnqueue(firing));
  }

  @Override
  public void enqueued(Firing firing) {
    each(firing, listener -> listener.enqueued(firing));
  }

  @Override
  public void failed(Firing firing, RuntimeException error) {
    each(firing, listener -> listener.failed(firing, error));
  }

  private void each(Firing firing, Consumer<SchedulerListener> call) {
    for (SchedulerListener listener : all) {
      try {
        call.accept(listener);
      } catch (RuntimeException | Error e) {
        log.error(
            "a listener of schedule entry {} failed; the scheduler continues",
            firing.entry().name(),
            e);
      }
    }
  }
}
