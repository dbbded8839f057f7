package io.asynq4j.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import redis.clients.jedis.Jedis;

/** The pages in a real browser. */
class PagesIT {

  private static final int WIDE = 1_440;
  private static final int NARROW = 390;

  /** A page, and a text that it shows when its data is loaded. */
  private static final Map<String, String> PLACES = new LinkedHashMap<>();

  static {
    PLACES.put("/", "Throughput");
    PLACES.put("/queues", "billing");
    PLACES.put("/queues/mail?state=retry", "550 mailbox unavailable");
    PLACES.put("/queues/mail?state=completed", "email:welcome");
    PLACES.put("/queues/mail?state=scheduled", "email:digest");
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

  private static final String[] APPEARANCE = {
    "color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"
  };

  @RegisterExtension static final Browser browser = new Browser();
  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void eachPageShowsItsDataWideAndNarrowInLightAndDarkWithoutBarriers() {
    try (SampleData sample = new SampleData(on)) {
      Dashboard dashboard = on.start();
      sample.addHistory();
      List<String> problems = new ArrayList<>();
      browser.fresh(WIDE, false);
      // By its address; all others from page to page, as people go.
      browser.open(dashboard, "/queues/reports/tasks/invoice-3");
      browser.seeText("country: \"XX\"");
      checkPages(dashboard, WIDE, /* isDark= */ false, problems);
      checkPages(dashboard, NARROW, /* isDark= */ true, problems);
      if (Browser.takesPictures()) {
        checkPages(dashboard, WIDE, /* isDark= */ true, problems);
        checkPages(dashboard, NARROW, /* isDark= */ false, problems);
      }
      assertThat(problems).isEmpty();
    }
  }

  private static void checkPages(
      Dashboard dashboard, int width, boolean isDark, List<String> problems) {
    browser.fresh(width, isDark);
    // What does not depend on the width or the colours is checked once.
    String[] rules = width == WIDE && !isDark ? new String[0] : APPEARANCE;
    browser.open(dashboard, "/");
    PLACES.forEach(
        (place, text) -> {
          String name = width + (isDark ? " dark " : " light ") + place;
          browser.go(place);
          browser.seeText(text);
          browser.picture(name.replaceAll("[^a-z0-9]+", "-"));
          browser.barriers(rules).forEach(barrier -> problems.add(name + ": " + barrier));
          browser.problems().forEach(problem -> problems.add(name + ": " + problem));
          if (overflow() > 0) {
            problems.add(name + " is wider than the screen by " + overflow());
          }
        });
  }

  @Test
  void aScheduleShowsItsDurationsWithoutRounding() {
    byte[] entry =
        protobuf(
            1, "report", 2, "@every 1h", 3, "report", 5, "Timeout(1.25s)", 5, "Retention(90m)");
    try (Jedis jedis = on.jedis()) {
      jedis.zadd("asynq:schedulers", 4e9, "asynq:schedulers:{host:1:s}");
      jedis.rpush("asynq:schedulers:{host:1:s}".getBytes(UTF_8), entry);
    }
    Dashboard dashboard = on.start();
    browser.fresh(WIDE, false);
    browser.open(dashboard, "/schedules/report");
    browser.seeText("1h 30m");
    browser.seeText("PT1.25S");
    assertThat(browser.problems()).isEmpty();
  }

  /** A message of text fields: numbers and texts in turn, the latter shorter than 128 bytes. */
  private static byte[] protobuf(Object... fields) {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      byte[] text = ((String) fields[i + 1]).getBytes(UTF_8);
      message.write((int) fields[i] << 3 | 2);
      message.write(text.length);
      message.writeBytes(text);
    }
    return message.toByteArray();
  }

  @Test
  void unreadableEntriesAreShownAsBrokenBesideTheOthers() {
    String junk = "\u0001no message";
    try (Jedis jedis = on.jedis()) {
      jedis.hset("asynq:schedules", Map.of("bad-entry", "default", "good-entry", "default"));
      jedis.hset(
          "asynq:{default}:schedules",
          Map.of("from:bad-entry", "x", "spec:good-entry", "0 3 * * *", "from:good-entry", "1"));
      jedis.zadd("asynq:schedulers", 4e9, "asynq:schedulers:{host:1:s}");
      jedis.rpush("asynq:schedulers:{host:1:s}", junk);
      jedis.zadd("asynq:servers", 4e9, "asynq:servers:{host:7:one}");
      jedis.set("asynq:servers:{host:7:one}", junk);
      jedis.zadd("asynq:workers", 4e9, "asynq:workers:{host:7:one}");
      jedis.hset("asynq:workers:{host:7:one}", "broken-task", junk);
    }
    Dashboard dashboard = on.start();
    browser.fresh(WIDE, false);
    browser.open(dashboard, "/schedules");
    browser.seeText("good-entry");
    browser.seeText("bad-entry");
    browser.seeText("host:1:s#1");
    browser.seeText("broken");
    browser.picture("broken-schedules");
    browser.go("/schedules/bad-entry");
    browser.seeText("cannot be read");
    browser.picture("broken-schedule");
    browser.go("/servers");
    browser.seeText("broken-task");
    browser.seeText("cannot be read");
    browser.picture("broken-servers");
    assertThat(browser.problems()).isEmpty();
  }

  private static long overflow() {
    return (long) browser.number("return document.documentElement.scrollWidth - innerWidth");
  }

  @Test
  void anArchivedTaskIsRunFromItsPageAfterAQuestionThatCanBeCopied() {
    on.enqueue("mail", "email", o -> o.id("a"));
    on.inspector.queue("mail").archive("a");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail/tasks/a");

    browser.press(".action-bar", "Run now");
    browser.see("dialog[open]");
    String commands =
        String.valueOf(
            browser.run(
                "return [...document.querySelectorAll('.commands button')].map(b =>"
                    + " b.title).join('\\n"
                    + "')"));
    browser.press("dialog", "Run now");
    browser.seeText("Task made pending");

    assertThat(commands)
        .contains("asynq task run --queue mail --id a")
        .contains("curl -X POST -H 'X-Asynq-Request: 1'")
        .contains("/api/v1/queues/mail/tasks/a/run");
    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.PENDING);
    await().untilAsserted(() -> assertThat(browser.text(".page-head .badge")).isEqualTo("pending"));
  }

  @Test
  void aTaskShowsItsFailedAttemptsWithTracesAndItsNextRetries() throws Exception {
    try (TaskServer server =
        TaskServer.builder(on.redis)
            .queue("mail", 1)
            .retryPolicy(RetryPolicy.fixed(Duration.ofHours(1)))
            .handlers(
                (task, context) -> {
                  throw new IllegalStateException("mailbox full");
                })
            .build()) {
      server.start();
      on.client
          .enqueue(
              Task.of("email", Payload.ofUtf8("{\"to\":{\"name\":\"Ada\"}}")),
              o -> o.queue("mail").id("a").maxRetry(3).header("trace", "t-17"))
          .orThrow();
      await().until(() -> on.inspector.queue("mail").task("a").state() == TaskState.RETRY);
      on.inspector.queue("mail").run("a");
      await()
          .until(
              () ->
                  on.inspector.queue("mail").task("a").state() == TaskState.RETRY
                      && on.inspector.queue("mail").failures("a").size() == 2);
    }
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail/tasks/a");

    browser.seeText("mailbox full");
    assertThat(browser.text(".timeline"))
        .contains("Attempt failed", "Next retry", "Last retry (estimate)");
    assertThat(browser.text("main")).contains("trace", "t-17", "2 of 3");
    browser.run("document.querySelectorAll('main details').forEach(d => d.open = true)");
    assertThat(browser.text("main")).contains("java.lang.IllegalStateException", "PagesIT");

    browser.seeText("name: \"Ada\"");
    browser.press("content-view", "raw");
    browser.seeText("{\"to\":{\"name\":\"Ada\"}}");
    browser.press("content-view", "hex");
    browser.seeText("7b 22 74 6f 22");
    assertThat(browser.text("content-view")).contains("Download");
  }

  @Test
  void failedActionsShowAnErrorMessage() {
    on.enqueue("mail", "email", o -> o.id("a"));
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail/tasks/a");
    browser.press(".action-bar", "Archive");
    browser.see("dialog[open]");

    on.inspector.queue("mail").delete("a");
    browser.press("dialog", "Archive");

    assertThat(browser.see(".toast.bad[role=alert]").getText()).contains("Failed: ");
  }

  @Test
  void actionsApplyToSelectedTasksAndToAllMatchingTasks() {
    for (int i = 0; i < 60; i++) {
      on.enqueue("mail", i % 2 == 0 ? "even" : "odd", o -> o);
    }
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail?state=pending");
    browser.see("task-table tbody tr input").click();
    browser.seeText("1 task selected");
    browser.press(".bulk", "Archive");
    browser.press("dialog", "Archive 1");
    browser.seeText("1 task archived");
    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.ARCHIVED)).isEqualTo(1);

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

    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.PENDING)).isBetween(29L, 30L);
    assertThat(browser.text(".job")).contains("0 failed");
  }

  @Test
  void aTaskIsEnqueuedCopiedAndEdited() {
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/enqueue?queue=mail");
    browser.write("input[placeholder='email:welcome']", "email:welcome");
    browser.write(".enqueue textarea", "{\"user\":42}");
    browser.see(".enqueue .primary").click();
    browser.see(".action-bar");
    browser.seeText("email:welcome");

    browser.press(".action-bar", "Copy task");
    browser.press("dialog", "Enqueue copy");
    browser.seeText("Copy enqueued");
    browser.press(".action-bar", "Edit payload");
    browser.write("dialog textarea", "{\"user\":43}");
    browser.press("dialog", "Save");
    browser.seeText("Payload saved");

    assertThat(on.inspector.queue("mail").snapshot().size()).isEqualTo(2);
    await().untilAsserted(() -> assertThat(browser.text("content-view")).contains("43"));
  }

  @Test
  void theRedisPageShowsSnapshotsOnlyIfThereAreAny() {
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/redis");
    browser.seeText("no snapshot since the start");
    assertThat(browser.text(".stats")).doesNotContain("RDB");

    try (Jedis jedis = on.jedis()) {
      jedis.save();
    }
    browser.seeText("changes since the last snapshot");
    assertThat(browser.text(".stats")).contains("RDB");
  }

  @Test
  void aBannerShowsWhyRedisIsUnreachableUntilItReturns() {
    on.enqueue("mail");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/");
    browser.seeText("mail");

    on.server.stop();
    assertThat(browser.see(".banner.bad").getText()).contains("Redis is unreachable");
    assertThat(browser.text(".fresh")).contains("old");
    on.server.restart();

    await().untilAsserted(() -> assertThat(browser.shown(".banner")).isEmpty());
  }

  @Test
  void fieldsOfTasksAndEntriesAreNeverInterpretedAsMarkup() {
    String evil = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
    String json = "{\"" + evil + "\":\"" + evil + "\",\"list\":[\"" + evil + "\"]}";
    TaskLeases leases = TaskLeases.create(on.redis);
    UnaryOperator<TaskOptions.Builder> options =
        o -> o.queue("q" + evil).header("h" + evil, evil).retention(Duration.ofHours(1));
    on.client
        .enqueue(Task.of("r" + evil, Payload.ofUtf8(json)), o -> options.apply(o).id("r" + evil))
        .orThrow();
    leases.settle(
        leases.claim("q" + evil, 1, Duration.ofMinutes(5)).get(0),
        Outcome.retry(evil + "\n\tat " + evil, Duration.ofHours(1)));
    on.client
        .enqueue(Task.of("c" + evil, Payload.ofUtf8(evil)), o -> options.apply(o).id("c" + evil))
        .orThrow();
    leases.complete(
        leases.claim("q" + evil, 1, Duration.ofMinutes(5)).get(0), Payload.ofUtf8(json));
    on.client
        .enqueue(Task.of(evil, Payload.ofUtf8(evil)), o -> options.apply(o).id("a" + evil))
        .orThrow();
    leases.progress(leases.claim("q" + evil, 1, Duration.ofMinutes(5)).get(0), 40, evil);
    on.client
        .enqueue(Task.of(evil, Payload.ofUtf8(evil)), o -> options.apply(o).group(evil))
        .orThrow();
    on.client
        .enqueue(Task.of(evil, Payload.ofUtf8(evil)), o -> options.apply(o).id("p" + evil))
        .orThrow();
    Dashboard dashboard = on.start(builder -> builder.title(evil));
    String queue = "/queues/" + encoded("q" + evil);
    try (Scheduler scheduler =
        Scheduler.builder(on.redis)
            .add("e" + evil, Schedule.cron("0 3 * * *"), Task.of(evil, Payload.ofUtf8(json)))
            .build()) {
      scheduler.start();
      await().until(() -> on.inspector.schedules().size() == 1);
      browser.fresh(WIDE, false);
      browser.open(dashboard, "/settings");
      for (String place :
          List.of(
              "/",
              "/queues",
              queue + "?state=pending",
              queue + "?state=active",
              queue + "?state=retry",
              queue + "?state=completed",
              queue + "?state=aggregating",
              queue + "/tasks/" + encoded("p" + evil),
              queue + "/tasks/" + encoded("a" + evil),
              queue + "/tasks/" + encoded("r" + evil),
              queue + "/tasks/" + encoded("c" + evil),
              "/search?q=state%3Aretry%2Cpending",
              "/search?q=" + encoded("word \"" + evil.replace("\"", "") + "\""),
              "/failures",
              "/schedules",
              "/schedules/" + encoded("e" + evil),
              "/enqueue?queue=" + encoded(evil) + "&type=" + encoded(evil),
              "/metrics?queue=" + encoded("q" + evil),
              "/redis",
              "/" + encoded(evil))) {
        browser.go(place);
        browser.see("main h1");
        if (place.startsWith("/queues") || place.startsWith("/s")) {
          browser.seeText("<img src=x");
        }
        requireHarmless(place);
      }
      browser.open(dashboard, queue + "/tasks/" + encoded("p" + evil));
      browser.press(".action-bar", "Archive");
      browser.press("dialog", "Archive");
      browser.see(".toast.good");
      browser.go("/audit");
      browser.seeText("<img src=x");
      requireHarmless("/audit");
      assertThat(browser.problems())
          .noneMatch(problem -> problem.contains("Content Security Policy"));
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static void requireHarmless(String place) {
    assertThat(browser.run("return window.pwned ?? null")).as(place).isNull();
    assertThat(
            browser.run(
                "return document.querySelectorAll('img:not([src=\"icon.svg\"]), main"
                    + " script').length"))
        .as(place)
        .isEqualTo(0L);
  }

  @Test
  void aPayloadOf50MegabytesDoesNotSlowDownThePage() {
    on.expectSlowCommands();
    on.client
        .enqueue(
            Task.of("big", Payload.ofUtf8("{\"a\":\"" + "x".repeat(50 << 20) + "\"}")),
            o -> o.queue("mail").id("a"))
        .orThrow();
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/queues/mail?state=pending");
    browser.seeText("big");
    assertThat(browser.text("task-table").length()).isLessThan(2_000);

    browser.go("/queues/mail/tasks/a");
    browser.seeText("Download the payload to see all 50.0 MiB");

    assertThat(browser.number("return document.querySelector('content-view').innerText.length"))
        .isLessThan(2 << 20);
    browser.press("content-view", "hex");
    browser.seeText("000000  7b 22 61 22 3a 22 78");
  }

  @Test
  void keyboardShortcutsOpenPagesAndHelp() {
    on.enqueue("mail");
    browser.fresh(WIDE, false);
    browser.open(on.start(), "/");
    browser.type("g");
    browser.type("q");
    await().untilAsserted(() -> assertThat(browser.text("h1")).isEqualTo("Queues"));
    browser.type("?");
    assertThat(browser.see("dialog[open]").getText()).contains("Keyboard shortcuts");
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
}
