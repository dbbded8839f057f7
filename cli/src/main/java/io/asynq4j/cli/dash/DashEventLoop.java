package io.asynq4j.cli.dash;

import io.asynq4j.cli.dash.data.QueryRunner;
import io.asynq4j.cli.dash.input.KeyController;
import io.asynq4j.cli.dash.input.Transition;
import io.asynq4j.cli.dash.model.DashEvent;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.OperatorAction;
import io.asynq4j.cli.dash.model.SideEffect;
import io.asynq4j.cli.dash.render.ScreenPainter;
import io.asynq4j.cli.dash.terminal.Display;
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
 * Processes events in order, updates the model and redraws. Redis is queried on other threads, so
 * that keys are always handled. Call {@link #run} from one thread; {@link #happen} is thread-safe.
 */
final class DashEventLoop {

  /** Interval at which displayed ages are updated if there are no events. */
  private static final Duration TICK = Duration.ofMillis(500);

  private final RedisConnection redis;
  private final Inspector inspector;
  private final String where;
  private final Duration interval;
  private final ZoneId zone;
  private final BlockingQueue<DashEvent> events = new LinkedBlockingQueue<>();

  DashEventLoop(RedisConnection redis, String where, Duration interval, ZoneId zone) {
    this.redis = redis;
    this.inspector = Inspector.create(redis);
    this.where = where;
    this.interval = interval;
    this.zone = zone;
  }

  /** Adds an event. */
  void happen(DashEvent event) {
    events.add(event);
  }

  /** Runs until the user quits. */
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
        DashEvent event = events.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
        boolean isComplete = false;
        // Redraw once for all events that have arrived by now.
        while (event != null) {
          if (event instanceof DashEvent.Closed) {
            return;
          }
          isComplete |= event instanceof DashEvent.Resized;
          Transition step = step(model.at(redis.clock().instant()), event);
          model = step.model();
          if (step.effect() instanceof SideEffect.Quit) {
            return;
          }
          isComplete |= step.effect() instanceof SideEffect.Redraw;
          work(step.effect(), fetcher, actions);
          if (event instanceof DashEvent.Acted) {
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

  private static Transition step(DashModel model, DashEvent event) {
    if (event instanceof DashEvent.Pressed pressed) {
      return KeyController.press(model, pressed.key());
    } else if (event instanceof DashEvent.Resized resized) {
      return Transition.to(model.sized(resized.size()));
    } else if (event instanceof DashEvent.Found found) {
      return Transition.to(model.heard(found.batch()));
    } else if (event instanceof DashEvent.NotFound none) {
      return Transition.to(model.unheard(none.problem()));
    } else if (event instanceof DashEvent.Acted acted) {
      return Transition.to(model.saying(acted.result(), acted.isGood()));
    }
    return Transition.to(model);
  }

  private void work(@Nullable SideEffect effect, Fetcher fetcher, ExecutorService actions) {
    if (effect instanceof SideEffect.Refresh) {
      fetcher.again();
    } else if (effect instanceof SideEffect.Act act) {
      actions.execute(() -> happen(performed(act.action())));
    }
  }

  private DashEvent performed(OperatorAction action) {
    try {
      return new DashEvent.Acted(action.perform(inspector), /* isGood= */ true);
    } catch (RuntimeException e) {
      return new DashEvent.Acted(Fetcher.problem(e), /* isGood= */ false);
    }
  }
}
