package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** The pages as people see and use them, in a real browser. */
class PagesIT {

  private static final int WIDE = 1_440;
  private static final int NARROW = 390;

  /** A place, and a text that is on it once its data is there. */
  private static final Map<String, String> PLACES = new LinkedHashMap<>();

  static {
    PLACES.put("/", "Throughput");
    PLACES.put("/queues", "billing");
    PLACES.put("/queues/mail?state=retry", "550 mailbox unavailable");
    PLACES.put("/queues/mail?state=completed", "email:welcome");
    PLACES.put("/queues/billing?state=pending", "charge:card");
    PLACES.put("/queues/notify?state=aggregating", "push:send");
    PLACES.put("/queues/media?state=active", "video:encode");
    PLACES.put("/queues/reports?state=archived", "no template for country");
    PLACES.put("/queues/reports/tasks/invoice-3", "country: \"XX\"");
    PLACES.put("/queues/mail/tasks/bounce-1", "12345678901234567890");
    PLACES.put("/search?q=state%3Aretry", "email:bounce");
    PLACES.put("/failures", "Retry group");
    PLACES.put("/servers", "video:encode");
    PLACES.put("/schedules", "report:nightly");
    PLACES.put("/schedules/nightly-report", "30 2 * * *");
    PLACES.put("/metrics", "Error rate");
    PLACES.put("/redis", "redis_version");
    PLACES.put("/jobs", "Jobs");
    PLACES.put("/audit", "Audit");
    PLACES.put("/enqueue", "Unique for");
    PLACES.put("/settings", "Theme");
  }

  @RegisterExtension static final Browser browser = new Browser();
  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void eachPageShowsItsDataWideAndNarrowInLightAndDarkWithoutBarriers() {
    Sample sample = new Sample(on);
    try {
      Dashboard dashboard = on.start();
      List<String> problems = new ArrayList<>();
      for (boolean isWide : new boolean[] {true, false}) {
        // Each theme at one width: colours do not depend on it.
        browser.fresh(isWide ? WIDE : NARROW, !isWide);
        PLACES.forEach(
            (place, text) -> {
              String name = (isWide ? "wide" : "narrow") + " " + place;
              browser.open(dashboard, place);
              browser.seeText(text);
              browser.picture((isWide ? "wide-" : "narrow-") + place.replaceAll("[^a-z0-9]+", "-"));
              browser.barriers().forEach(barrier -> problems.add(name + ": " + barrier));
              browser.problems().forEach(problem -> problems.add(name + ": " + problem));
              if (overflow() > 0) {
                problems.add(name + " is wider than the screen by " + overflow());
              }
            });
      }
      assertThat(problems).isEmpty();
    } finally {
      sample.close();
    }
  }

  private static long overflow() {
    return ((Number)
            java.util.Objects.requireNonNull(
                browser.run("return document.documentElement.scrollWidth - innerWidth")))
        .longValue();
  }

  @Test
  void anArchivedTaskIsRunFromItsPageAfterAQuestionThatCanBeCopied() {
    on.enqueue("mail", "email", o -> o.id("a"));
    on.inspector.archive("mail", "a");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail/tasks/a");

    browser.press(".action-bar", "Run now");
    browser.see("dialog[open]");
    String commands =
        String.valueOf(
            browser.run(
                "return [...document.querySelectorAll('.commands button')].map(b => b.title).join('\\n')"));
    browser.press("dialog", "Run now");
    browser.seeText("The task is made pending");

    assertThat(commands)
        .contains("asynq task run --queue mail --id a")
        .contains("curl -X POST -H 'X-Asynq-Request: 1'")
        .contains("/api/v1/queues/mail/tasks/a/run");
    assertThat(on.inspector.task("mail", "a").state()).isEqualTo(TaskState.PENDING);
    await().untilAsserted(() -> assertThat(browser.text(".page-head .badge")).isEqualTo("pending"));
  }

  @Test
  void whatCannotBeDoneIsToldAsLoudlyAsWhatCan() {
    on.enqueue("mail", "email", o -> o.id("a"));
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail/tasks/a");
    browser.press(".action-bar", "Archive");
    browser.see("dialog[open]");

    on.inspector.delete("mail", "a");
    browser.press("dialog", "Archive");

    assertThat(browser.see(".toast.bad[role=alert]").getText()).contains("Not done");
  }

  @Test
  void chosenTasksAndAllMatchingOnesAreDealtWith() {
    for (int i = 0; i < 60; i++) {
      on.enqueue("mail", i % 2 == 0 ? "even" : "odd", o -> o);
    }
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail?state=pending");
    browser.see("task-table tbody tr input").click();
    browser.seeText("1 task chosen");
    browser.press(".bulk", "Archive");
    browser.press("dialog", "Archive 1");
    browser.seeText("1 task archived");
    assertThat(on.inspector.queue("mail").size(TaskState.ARCHIVED)).isEqualTo(1);

    browser.write(".toolbar query-box input", "type:odd");
    browser.enter();
    await()
        .untilAsserted(
            () ->
                assertThat(browser.text("task-table tbody"))
                    .doesNotContain("even")
                    .contains("odd"));
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Select all matching");
    browser.press(".bulk", "Delete");
    await()
        .untilAsserted(
            () -> assertThat(browser.text("dialog h2")).matches("Delete (29|30) tasks\\?"));
    browser.press("dialog", browser.text("dialog .danger"));
    browser.see(".job[data-state=done]");

    assertThat(on.inspector.queue("mail").size(TaskState.PENDING)).isBetween(29L, 30L);
    assertThat(browser.text(".job")).contains("0 failed");
  }

  @Test
  void aTaskIsEnqueuedClonedAndEdited() {
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/enqueue?queue=mail");
    browser.write("input[placeholder='email:welcome']", "email:welcome");
    browser.write(".enqueue textarea", "{\"user\":42}");
    browser.see(".enqueue .primary").click();
    browser.see(".action-bar");
    browser.seeText("email:welcome");

    browser.press(".action-bar", "Clone");
    browser.press("dialog", "Enqueue the copy");
    browser.seeText("The copy is enqueued");
    browser.press(".action-bar", "Edit payload");
    browser.write("dialog textarea", "{\"user\":43}");
    browser.press("dialog", "Save");
    browser.seeText("The payload is replaced");

    assertThat(on.inspector.queue("mail").size()).isEqualTo(2);
    await().untilAsserted(() -> assertThat(browser.text("content-view")).contains("43"));
  }

  @Test
  void aViewerSeesNothingThatHeMayNotDo() {
    on.enqueue("mail", "email", o -> o.id("a"));
    Dashboard dashboard =
        on.start(
            builder ->
                builder.credentials(
                    Credentials.of(
                        List.of(
                            "user vera viewer * " + Credentials.hash("long-secret".toCharArray()),
                            "user otto operator * "
                                + Credentials.hash("long-secret".toCharArray())))));
    browser.fresh(WIDE, false);

    browser.openAt(
        dashboard.uri().toString().replace("http://", "http://vera:long-secret@"),
        "/queues/mail/tasks/a");
    browser.seeText("No payload");
    assertThat(browser.shown(".action-bar")).isEmpty();
    assertThat(browser.text(".menu")).contains("vera").contains("viewer").doesNotContain("Audit");
  }

  @Test
  void whenRedisIsAwayABannerSaysWhyAndGoesWhenItIsBack() {
    on.enqueue("mail");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/");
    browser.seeText("mail");

    on.server.stop();
    assertThat(browser.see(".banner.bad").getText()).contains("Redis cannot be reached");
    assertThat(browser.text(".fresh")).contains("old");
    on.server.restart();

    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(browser.shown(".banner")).isEmpty());
  }

  @Test
  void nothingThatATaskCarriesIsTakenAsMarkup() {
    String evil = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
    on.client
        .enqueue(
            Task.of(evil, Payload.ofUtf8("{\"" + evil.replace("\"", "") + "\":\"" + evil + "\"}")),
            o -> o.queue("q" + evil).id("i" + evil).header("h" + evil, evil))
        .orThrow();
    on.client.enqueue(Task.of(evil, Payload.ofUtf8(evil)), o -> o.queue("g").group(evil)).orThrow();
    browser.fresh(WIDE, false);
    Dashboard dashboard = on.start();
    String queue =
        "/queues/"
            + java.net.URLEncoder.encode("q" + evil, java.nio.charset.StandardCharsets.UTF_8)
                .replace("+", "%20");
    String id =
        java.net.URLEncoder.encode("i" + evil, java.nio.charset.StandardCharsets.UTF_8)
            .replace("+", "%20");

    for (String place :
        List.of(
            "/",
            queue + "?state=pending",
            queue + "/tasks/" + id,
            "/queues/g?state=aggregating",
            "/search?q=state%3Apending")) {
      browser.open(dashboard, place);
      browser.seeText("<img src=x");
      assertThat(browser.run("return window.pwned ?? null")).as(place).isNull();
      assertThat(
              browser.run("return document.querySelectorAll('img:not([src=\"icon.svg\"])').length"))
          .as(place)
          .isEqualTo(0L);
    }
    assertThat(browser.problems())
        .noneMatch(problem -> problem.contains("Content Security Policy"));
  }

  @Test
  void keysGoToPlacesAndHelp() {
    on.enqueue("mail");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/");
    browser.type("g");
    browser.type("q");
    await().untilAsserted(() -> assertThat(browser.text("h1")).isEqualTo("Queues"));
    browser.type("?");
    assertThat(browser.see("dialog[open]").getText()).contains("Keys");
    browser.type(Keys.ESCAPE);
    await().untilAsserted(() -> assertThat(browser.shown("dialog[open]")).isEmpty());
    browser.type("/");
    browser.type("state:pending");
    browser.enter();
    browser.seeText("1 task");

    assertThat(browser.place()).contains("/search?q=state%3Apending");
  }

  @Test
  void worksUnderAnyPath() {
    on.enqueue("a/b c", "email", o -> o.id("x/y"));
    Dashboard dashboard = on.start(builder -> builder.rootPath("/ops/queues"));
    browser.fresh(WIDE, false);
    browser.open(dashboard, "/queues/a%2Fb%20c/tasks/x%2Fy");
    browser.see(".badge.state-pending");

    assertThat(browser.text("h1")).isEqualTo("email");
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void tenThousandQueuesStayQuick() {
    try (var jedis = on.jedis()) {
      var pipeline = jedis.pipelined();
      for (int i = 0; i < 10_000; i++) {
        pipeline.sadd("asynq:queues", "queue-" + i);
      }
      pipeline.sync();
    }
    browser.fresh(WIDE, false);
    browser.open(on.start(builder -> builder.refresh(Duration.ofSeconds(2))), "/queues");
    browser.seeText("of 10,000");

    for (String interaction :
        List.of(
            "document.querySelectorAll('.sort')[1].click()",
            "const f = document.querySelector('.filter'); f.value = '99'; f.dispatchEvent(new Event('input'))",
            "document.querySelector('[aria-label=\"Next page\"]').click()")) {
      Object took =
          browser.run(
              "const t = performance.now();"
                  + interaction
                  + "; return Promise.resolve().then(() => Promise.resolve()).then(() => performance.now() - t)");
      assertThat(((Number) java.util.Objects.requireNonNull(took)).doubleValue())
          .as(interaction)
          .isLessThan(100);
    }
  }

  @Test
  void theFirstPaintComesWithinASecondWithAThousandQueues() {
    try (var jedis = on.jedis()) {
      for (int i = 0; i < 1_000; i++) {
        jedis.sadd("asynq:queues", "queue-" + i);
      }
    }
    Dashboard dashboard = on.start();
    browser.fresh(WIDE, false);
    browser.open(dashboard, "/");
    browser.open(dashboard, "/");
    browser.seeText("of 1,000");

    Object paint =
        browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime");
    assertThat(((Number) java.util.Objects.requireNonNull(paint)).doubleValue()).isLessThan(1_000);
  }
}
