package io.asynq4j.dashboard.internal.live;

import static org.awaitility.Awaitility.await;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Event streams of several pages, also when one of them fails. */
class EventBroadcasterIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  /** A page, and how often something was to be written to it. */
  private static final class Page extends ServletOutputStream {
    private final AtomicInteger writes = new AtomicInteger();
    private final BooleanSupplier isReady;

    Page(BooleanSupplier isReady) {
      this.isReady = isReady;
    }

    AsyncContext context() {
      ServletResponse response = proxy(ServletResponse.class, this);
      return proxy(AsyncContext.class, response);
    }

    /** All methods return the same thing, or nothing. */
    private static <T> T proxy(Class<T> type, Object result) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, args) -> method.getReturnType().isInstance(result) ? result : null));
    }

    @Override
    public boolean isReady() {
      writes.incrementAndGet();
      return isReady.getAsBoolean();
    }

    @Override
    public void setWriteListener(WriteListener listener) {}

    @Override
    public void write(int b) {}
  }

  @Test
  void anErrorOfOneStreamNeitherStopsKeepAlivesNorAffectsOtherStreams() {
    AtomicInteger asked = new AtomicInteger();
    Page failing =
        new Page(
            () -> {
              // The first time is when the page connects.
              if (asked.incrementAndGet() > 1) {
                throw new OutOfMemoryError("by the test");
              }
              return false;
            });
    Page healthy = new Page(() -> false);
    try (RedisInstance source = new RedisInstance("a test", on.redis, settings());
        EventBroadcaster streams = new EventBroadcaster(source, Duration.ofMillis(10))) {
      User user = new User(null, Grant.of(Role.VIEWER));
      streams.open(failing.context(), user);
      streams.open(healthy.context(), user);

      await().until(() -> failing.writes.get() > 5 && healthy.writes.get() > 5);
    }
  }

  private static DashboardSettings settings() {
    return new DashboardSettings(
        Map.of("a test", on.redis),
        "",
        /* readOnly= */ false,
        /* metrics= */ false,
        /* metricsOnly= */ false,
        Duration.ofSeconds(1),
        new ArchiveSettings(),
        Set.of(),
        List.of(),
        List.of(),
        List.of(),
        null,
        null,
        null,
        Set.of(),
        List.of());
  }
}
