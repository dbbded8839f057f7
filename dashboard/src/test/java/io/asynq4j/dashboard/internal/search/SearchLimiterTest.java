package io.asynq4j.dashboard.internal.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.http.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SearchLimiterTest {

  private static final User ANNA = new User("anna", Grant.of(Role.VIEWER));
  private static final User OTTO = new User("otto", Grant.of(Role.VIEWER));

  private final SearchLimiter limit = new SearchLimiter();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void endSearches() throws InterruptedException {
    end.countDown();
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  /** Searches that run until the end of the test, all of them begun. */
  private List<Future<Boolean>> occupy(User user, int searches) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(searches);
    List<Future<Boolean>> running = new ArrayList<>();
    for (int i = 0; i < searches; i++) {
      running.add(
          threads.submit(
              () ->
                  limit.run(
                      user,
                      () -> {
                        begun.countDown();
                        return awaitEnd();
                      })));
    }
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    return running;
  }

  private boolean awaitEnd() {
    try {
      return end.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void oneUserLeavesPermitsToOthers() throws Exception {
    occupy(ANNA, SearchLimiter.MAX_PER_USER);

    assertThatThrownBy(() -> limit.run(ANNA, () -> "found"))
        .isInstanceOfSatisfying(Problem.class, e -> assertThat(e.status()).isEqualTo(429));
    assertThat(limit.run(OTTO, () -> "found")).isEqualTo("found");
  }

  @Test
  void aPermitIsReleasedWhenASearchEndsOrFails() throws Exception {
    List<Future<Boolean>> running = occupy(ANNA, SearchLimiter.MAX_PER_USER);
    end.countDown();
    for (Future<Boolean> search : running) {
      assertThat(search.get(30, TimeUnit.SECONDS)).isTrue();
    }
    for (int i = 0; i < 2 * SearchLimiter.MOST; i++) {
      assertThatThrownBy(
              () ->
                  limit.run(
                      ANNA,
                      () -> {
                        throw new IllegalStateException("on purpose");
                      }))
          .hasMessage("on purpose");
    }

    assertThat(limit.run(ANNA, () -> "found")).isEqualTo("found");
  }
}
