package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Pages with much data load as fast as pages with little. The log has the measurements. */
class PageScaleIT {

  private static final Logger log = LoggerFactory.getLogger(PageScaleIT.class);

  private static final boolean IS_FULL = Boolean.getBoolean("asynq4j.full");
  private static final int TASKS = IS_FULL ? 1_000_000 : 100_000;
  private static final int WIDE = 1_440;

  /**
   * How long a page may take to answer a click, until it is painted. The short form runs beside
   * other tests on a busy machine: it finds what grows out of proportion.
   */
  private static final double INTERACTION_MS = IS_FULL ? 100 : 3_000;

  private static final double FIRST_PAINT_MS = IS_FULL ? 1_000 : 10_000;

  @RegisterExtension static final Browser browser = new Browser();
  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void theFirstPaintTakesLessThanASecondWithAThousandQueues() {
    BulkData.queues(on, 1_000);
    Dashboard dashboard = on.start(builder -> builder.refresh(Duration.ofSeconds(2)));
    browser.fresh(WIDE, false);
    browser.open(dashboard, "/");
    browser.seeText("of 1,000");

    double paint = Double.MAX_VALUE;
    double rows = Double.MAX_VALUE;
    // The best of three: what other programs of this machine take is not the page's.
    for (int i = 0; i < 3 && rows >= FIRST_PAINT_MS; i++) {
      browser.markWhenShown("table.queues tbody tr");
      browser.open(dashboard, "/");
      browser.seeText("of 1,000");
      paint =
          browser.number(
              "return performance.getEntriesByName('first-contentful-paint')[0].startTime");
      rows = browser.number("return window.shownAt");
    }
    log.info("1,000 queues: first paint after {} ms, queues shown after {} ms", paint, rows);

    assertThat(paint).isLessThan(FIRST_PAINT_MS);
    assertThat(rows).isLessThan(FIRST_PAINT_MS);
  }

  @Test
  void tenThousandQueuesStayFast() {
    BulkData.queues(on, 10_000);
    browser.fresh(WIDE, false);
    Dashboard dashboard = on.start(builder -> builder.refresh(Duration.ofSeconds(2)));
    browser.open(dashboard, "/queues");
    browser.seeText("of 10,000");

    Map<String, String> interactions = new LinkedHashMap<>();
    interactions.put("sort by size", "document.querySelectorAll('.sort')[1].click()");
    interactions.put("sort by latency", "document.querySelectorAll('.sort')[2].click()");
    interactions.put("sort by name", "document.querySelectorAll('.sort')[0].click()");
    interactions.put(
        "filter",
        "const f = document.querySelector('.filter'); f.value = f.value ? '' : '99';"
            + " f.dispatchEvent(new Event('input'))");
    interactions.put("next page", "document.querySelector('[aria-label=\"Next page\"]').click()");
    Map<String, Double> took = new LinkedHashMap<>();
    interactions.forEach((name, script) -> took.put(name, painted(script)));
    log.info("10,000 queues: milliseconds until painted {}", took);

    assertThat(took).allSatisfy((name, ms) -> assertThat(ms).as(name).isLessThan(INTERACTION_MS));
  }

  @Test
  void aQueueWithManyTasksIsAsFast() {
    BulkData.tasks(on, "huge", TASKS);
    assertThat(on.inspector.queue("huge").snapshot().size()).isEqualTo(TASKS);
    browser.fresh(WIDE, false);
    Dashboard dashboard = on.start(builder -> builder.refresh(Duration.ofSeconds(2)));
    browser.markWhenShown("task-table tbody tr");
    browser.open(dashboard, "/queues/huge?state=pending");
    browser.see("task-table tbody tr");
    double first = browser.number("return window.shownAt");

    Map<String, Double> took = new LinkedHashMap<>();
    // Once each: a second time nothing would change.
    took.put(
        "select the page",
        browser.painted("document.querySelector('task-table thead input').click()"));
    took.put(
        "select all",
        browser.painted("document.querySelector('.bulk .ghost:not(.icon-only)').click()"));
    assertThat(browser.text(".bulk strong")).isEqualTo("All %,d tasks".formatted(TASKS));
    browser.press(".bulk", "Delete");
    await()
        .untilAsserted(
            () ->
                assertThat(browser.text("dialog h2"))
                    .isEqualTo("Delete %,d tasks?".formatted(TASKS)));
    // This many must be confirmed by typing the number.
    assertThat(browser.shown("dialog .danger:disabled")).isNotEmpty();
    browser.press("dialog", "Cancel");

    long begun = System.nanoTime();
    browser.run("document.querySelector('[aria-label=\"Last page\"]').click()");
    String last = "task-%08d".formatted(TASKS - 1);
    browser.seeText(last);
    double lastPage = (System.nanoTime() - begun) / 1e6;

    begun = System.nanoTime();
    browser.write(".toolbar query-box input", "id:task-00000005");
    browser.enter();
    await()
        .untilAsserted(
            () ->
                assertThat(browser.text("task-table tbody"))
                    .contains("task-00000005")
                    .doesNotContain(last));
    double found = (System.nanoTime() - begun) / 1e6;
    log.info(
        "{} tasks in a queue: shown after {} ms, painted {}, last page {} ms, found by id {} ms",
        TASKS,
        first,
        took,
        lastPage,
        found);

    assertThat(first).isLessThan(2 * FIRST_PAINT_MS);
    assertThat(took).allSatisfy((name, ms) -> assertThat(ms).as(name).isLessThan(INTERACTION_MS));
  }

  /**
   * Milliseconds until what it does is painted; the best of five, for others use this machine too.
   */
  private static double painted(String interaction) {
    double best = Double.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, browser.painted(interaction));
    }
    return Math.round(best);
  }
}
