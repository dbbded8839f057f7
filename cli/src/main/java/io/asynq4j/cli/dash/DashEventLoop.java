package io.asynq4j.cli.dash;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes what happens, one after the other, changes the model and shows it. Redis is asked on other
 * threads, so that keys are always heard. {@link #run} is for one thread, {@link #happen} for all.
 */
final class DashEventLoop {

  /** How often the ages on the screen are brought up to date while nothing happens. */
  private static final Duration TICK = Duration.ofMillis(500);

  private final RedisConnection redis;
  private final Inspector inspector;
  private final String where;
  private final Duration interval;
  private final ZoneId zone;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  DashEventLoop(RedisConnection redis, String where, Duration interval, ZoneId zone) {
    this.redis = redis;
    this.inspector = Inspector.create(redis);
    this.where = where;
    this.interval = interval;
    this.zone = zone;
  }

  /** Something has happened. */
  void happen(Event event) {
    events.add(event);
  }

  /** Until somebody quits. */
  void run(Display display) throws InterruptedException {
    DashModel model =
        DashModel.start(where, zone, display.size(), redis.clock().instant(), interval);
    ExecutorService actions =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread = new Thread(work, "asynq-dash-actions");
              thread.setDaemon(true);
              return thread;
            });
    try (Fetcher fetcher =
        new Fetcher(new QueryRunner(redis, interval), interval, model.wish(), this::happen)) {
      fetcher.start();
      display.show(ScreenPainter.paint(model), /* isComplete= */ true);
      while (true) {
        Event event = events.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
        boolean isComplete = false;
        // All that has come by now is shown at once.
        while (event != null) {
          if (event instanceof Event.Closed) {
            return;
          }
          isComplete |= event instanceof Event.Resized;
          Step step = step(model.at(redis.clock().instant()), event);
          model = step.model();
          if (step.effect() instanceof Effect.Quit) {
            return;
          }
          isComplete |= step.effect() instanceof Effect.Redraw;
          work(step.effect(), fetcher, actions);
          if (event instanceof Event.Acted) {
            fetcher.again();
          }
          event = events.poll();
        }
        model = model.at(redis.clock().instant());
        fetcher.want(model.wish());
        display.show(ScreenPainter.paint(model), isComplete);
      }
    } finally {
      actions.shutdownNow();
    }
  }

  private static Step step(DashModel model, Event event) {
    if (event instanceof Event.Pressed pressed) {
      return KeyController.press(model, pressed.key());
    } else if (event instanceof Event.Resized resized) {
      return Step.to(model.sized(resized.size()));
    } else if (event instanceof Event.Found found) {
      return Step.to(model.heard(found.batch()));
    } else if (event instanceof Event.NotFound none) {
      return Step.to(model.unheard(none.problem()));
    } else if (event instanceof Event.Acted acted) {
      return Step.to(model.saying(acted.result(), acted.isGood()));
    }
    return Step.to(model);
  }

  private void work(@Nullable Effect effect, Fetcher fetcher, ExecutorService actions) {
    if (effect instanceof Effect.Refresh) {
      fetcher.again();
    } else if (effect instanceof Effect.Act act) {
      actions.execute(() -> happen(performed(act.action())));
    }
  }

  private Event performed(OperatorAction action) {
    try {
      return new Event.Acted(action.perform(inspector), /* isGood= */ true);
    } catch (RuntimeException e) {
      return new Event.Acted(Fetcher.problem(e), /* isGood= */ false);
    }
  }
}
