package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** All actions of the pages, in a real browser, and their effect in Redis. */
class PageActionsIT {

  private static final int WIDE = 1_440;

  @RegisterExtension static final Browser browser = new Browser();
  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private static void open(String place) {
    browser.fresh(WIDE, false);
    browser.open(on.start(), place);
  }

  private static TaskInfo task(String id) {
    return on.inspector.queue("mail").task(id);
  }

  private static void soon(Runnable assertion) {
    await().pollInterval(Duration.ofMillis(30)).untilAsserted(assertion::run);
  }

  private static LeasedTask claim(String queue) {
    return TaskLeases.create(on.redis).claim(queue, 1, Duration.ofMinutes(5)).get(0);
  }

  private static void failed(String id, String error) {
    on.enqueue("mail", "email", o -> o.id(id));
    TaskLeases.create(on.redis).settle(claim("mail"), Outcome.retry(error, Duration.ofHours(1)));
  }

  // ---- one task

  @Test
  void aTaskIsArchivedAndDeleted() {
    on.enqueue("mail", "email", o -> o.id("a"));
    open("/queues/mail/tasks/a");

    browser.press(".action-bar", "Archive");
    browser.press("dialog", "Archive");
    browser.seeText("Task archived");
    assertThat(task("a").state()).isEqualTo(TaskState.ARCHIVED);
    browser.press(".action-bar", "Delete");
    browser.press("dialog", "Delete");
    browser.seeText("Task deleted");

    assertThat(on.inspector.queue("mail").snapshot().size()).isZero();
    browser.seeText("Task not found");
  }

  @Test
  void aTaskIsRescheduledAndMoved() {
    on.enqueue("mail", "email", o -> o.id("a"));
    on.enqueue("slow");
    open("/queues/mail/tasks/a");

    browser.press(".action-bar", "Reschedule");
    browser.write("dialog input", "2h");
    browser.press("dialog", "Reschedule");
    browser.seeText("Task rescheduled");
    assertThat(task("a").nextProcessAt())
        .isBetween(
            on.redis.clock().instant().plusSeconds(7_100),
            on.redis.clock().instant().plusSeconds(7_300));
    browser.press(".action-bar", "Move");
    browser.write("dialog input", "slow");
    browser.press("dialog", "Move");
    browser.seeText("Task moved");

    assertThat(on.inspector.queue("slow").task("a").state()).isEqualTo(TaskState.SCHEDULED);
  }

  @Test
  void anInvalidDurationIsRejectedAndChangesNothing() {
    on.enqueue("mail", "email", o -> o.id("a"));
    open("/queues/mail/tasks/a");

    browser.press(".action-bar", "Reschedule");
    browser.write("dialog input", "soon");
    browser.press("dialog", "Reschedule");

    assertThat(browser.see(".toast.bad").getText()).contains("Failed: ").contains("soon");
    assertThat(task("a").state()).isEqualTo(TaskState.PENDING);
  }

  @Test
  void aRunningTaskIsCancelledAndArchived() throws Exception {
    try (StuckServer server = new StuckServer(on.redis)) {
      on.enqueue("mail", "email", o -> o.id("a"));
      server.awaitBegun();
      open("/queues/mail/tasks/a");

      browser.press(".action-bar", "Cancel");
      browser.run(
          "const s = document.querySelector('dialog select'); s.value = 'archive';"
              + " s.dispatchEvent(new Event('change'))");
      browser.press("dialog", "Cancel the task");
      browser.seeText("Task cancelled");

      soon(() -> assertThat(task("a").state()).isEqualTo(TaskState.ARCHIVED));
    }
  }

  @Test
  void anArchivedTaskIsEditedAndRunAgain() {
    on.client
        .enqueue(
            Task.of("email", Payload.ofUtf8("{\"to\":\"nobody\"}")), o -> o.queue("mail").id("a"))
        .orThrow();
    on.inspector.queue("mail").archive("a");
    open("/queues/mail/tasks/a");

    browser.press(".action-bar", "Edit payload");
    browser.write("dialog textarea", "{\"to\": \"anna\", \"n\": 12345678901234567890}");
    browser.run(
        "const s = document.querySelector('dialog select'); s.value = 'run';"
            + " s.dispatchEvent(new Event('change'))");
    browser.press("dialog", "Save");
    browser.seeText("Payload saved, task made pending");

    assertThat(task("a").state()).isEqualTo(TaskState.PENDING);
    assertThat(task("a").payload().utf8())
        .isEqualTo("{\"to\":\"anna\",\"n\":12345678901234567890}");
  }

  @Test
  void aCompletedTaskIsClonedWithAnotherPayloadIntoAnotherQueue() {
    on.client
        .enqueue(
            Task.of("email", Payload.ofUtf8("{\"n\":1}")),
            o -> o.queue("mail").id("a").retention(Duration.ofHours(1)).header("tenant", "acme"))
        .orThrow();
    TaskLeases.create(on.redis).complete(claim("mail"), Payload.ofUtf8("fine"));
    open("/queues/mail/tasks/a");

    browser.press(".action-bar", "Copy task");
    browser.see("dialog[open]");
    browser.write("dialog input", "again");
    browser.write("dialog textarea", "{\"n\":2}");
    browser.press("dialog", "Enqueue copy");
    browser.seeText("Copy enqueued");

    TaskInfo copy =
        on.inspector.queue("again").tasks(TaskState.PENDING, PageRequest.first(10)).tasks().get(0);
    assertThat(copy.payload().utf8()).isEqualTo("{\"n\":2}");
    assertThat(copy.headers()).containsEntry("tenant", "acme");
    assertThat(task("a").state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void aTaskIsEnqueuedWithEveryOption() {
    open("/enqueue?queue=mail&type=email");
    fill("Run in", "10m");
    fill("Retries", "3");
    fill("Timeout", "30s");
    fill("Deadline", "2099-01-31T08:00:00Z");
    fill("Unique for", "1h");
    fill("Retention", "24h");
    fill("ID", "all-of-it");
    browser.write(".enqueue textarea", "{\"user\": 42}");
    browser.write(".enqueue textarea[placeholder='tenant=acme']", "tenant=acme");
    browser.see(".enqueue .primary").click();
    browser.see(".action-bar");

    TaskInfo task = task("all-of-it");
    assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(task.maxRetry()).isEqualTo(3);
    assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(task.retention()).isEqualTo(Duration.ofHours(24));
    assertThat(String.valueOf(task.deadline())).isEqualTo("2099-01-31T08:00:00Z");
    assertThat(task.headers()).containsEntry("tenant", "acme");
    assertThat(task.payload().utf8()).isEqualTo("{\"user\":42}");

    // A duplicate is refused, and the page links to the existing task.
    browser.go("/enqueue?queue=mail&type=email");
    fill("ID", "");
    fill("Unique for", "1h");
    browser.write(".enqueue textarea", "{\"user\": 42}");
    browser.see(".enqueue .primary").click();
    browser.seeText("Open the existing task");
    browser.go("/enqueue?queue=mail&type=grouped");
    fill("Group", "g1");
    browser.see(".enqueue .primary").click();
    soon(
        () ->
            assertThat(on.inspector.queue("mail").snapshot().size(TaskState.AGGREGATING))
                .isEqualTo(1));
  }

  private static void fill(String label, String text) {
    browser.see("form.enqueue");
    browser.run(
        "const l = [...document.querySelectorAll('.enqueue label')].find(e =>"
            + " e.querySelector('span').innerText === arguments[0]);const i ="
            + " l.querySelector('input'); i.value = arguments[1]; i.dispatchEvent(new"
            + " Event('input'))",
        label,
        text);
  }

  // ---- queues

  @Test
  void aQueueIsPausedResumedLimitedAndRemoved() {
    on.enqueue("mail");
    open("/queues/mail");

    browser.press(".page-actions", "Pause");
    browser.press("dialog", "Pause");
    browser.seeText("Queue mail paused");
    assertThat(on.inspector.queue("mail").snapshot().paused()).isTrue();
    browser.press(".page-actions", "Resume");
    browser.press("dialog", "Resume");
    browser.seeText("Queue mail resumed");
    assertThat(on.inspector.queue("mail").snapshot().paused()).isFalse();
    browser.press(".page-actions", "Limits");
    browser.write("dialog input", "7");
    browser.press("dialog", "Save");
    browser.seeText("max. 7 active");
    assertThat(on.inspector.queue("mail").limits().maxActive().getAsInt()).isEqualTo(7);

    browser.press(".page-actions", "Remove");
    assertThat(browser.shown("dialog .danger:disabled")).isNotEmpty();
    browser.write("dialog input", "mail");
    browser.press("dialog", "Remove");
    browser.seeText("Queue mail removed");

    assertThat(on.inspector.queues()).isEmpty();
    soon(() -> assertThat(browser.text("h1")).isEqualTo("Queues"));
  }

  @Test
  void aQueueIsPausedFromTheListOfAll() {
    on.enqueue("mail");
    open("/queues");

    browser.see("[aria-label='Pause mail']").click();
    browser.press("dialog", "Pause");
    browser.see("[aria-label='Resume mail']");

    assertThat(on.inspector.queue("mail").snapshot().paused()).isTrue();
  }

  // ---- schedules and servers

  @Test
  void aScheduleIsRunPausedResumedAndForgotten() {
    Scheduler scheduler =
        Scheduler.builder(on.redis)
            .heartbeat(Duration.ofSeconds(1))
            .add("nightly", Schedule.cron("30 2 * * *"), Task.of("report"))
            .build();
    try {
      scheduler.start();
      soon(() -> assertThat(on.inspector.schedules()).hasSize(1));
      open("/schedules/nightly");

      browser.press(".page-actions", "Run now");
      browser.press("dialog", "Run now");
      browser.seeText("The scheduler will enqueue the task shortly");
      soon(() -> assertThat(on.inspector.queues()).contains("default"));
      browser.press(".page-actions", "Pause");
      browser.press("dialog", "Pause");
      browser.seeText("Schedule paused");
      soon(() -> assertThat(on.inspector.schedules().get(0).pausedSince()).isNotNull());
      browser.press(".page-actions", "Resume");
      browser.press("dialog", "Resume");
      browser.seeText("Schedule resumed");
      soon(() -> assertThat(on.inspector.schedules().get(0).pausedSince()).isNull());
    } finally {
      scheduler.close();
    }
    soon(() -> assertThat(on.inspector.schedules().get(0).isLive()).isFalse());
    browser.press(".page-actions", "Forget");
    browser.press("dialog", "Forget");
    browser.seeText("Schedule forgotten");

    assertThat(on.inspector.schedules()).isEmpty();
  }

  @Test
  void aServerIsQuietedAndStopped() {
    on.enqueue("mail");
    try (TaskServer server =
        TaskServer.builder(on.redis)
            .queue("mail", 1)
            .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
            .handlers((task, context) -> Outcome.done())
            .build()) {
      server.start();
      soon(() -> assertThat(on.inspector.servers()).hasSize(1));
      open("/servers");

      browser.press(".server", "Quiet");
      browser.press("dialog", "Quiet");
      browser.seeText("Command sent to server");
      soon(() -> assertThat(on.inspector.servers().get(0).status()).isNotEqualTo("active"));
      browser.press(".server", "Stop");
      browser.press("dialog", "Stop");

      soon(() -> assertThat(on.inspector.servers()).isEmpty());
      browser.seeText("No servers are running");
    }
  }

  // ---- many

  @Test
  void aGroupOfFailuresIsRetriedAndAnotherDeleted() {
    failed("a", "connection to 10.0.0.1 refused");
    failed("b", "connection to 10.0.0.2 refused");
    failed("c", "no such template");
    open("/failures");
    browser.seeText("2 causes");

    browser.press(".failure:first-child", "Retry group");
    browser.write("dialog input", "the network is back");
    browser.press("dialog", "Run 2 now");
    browser.seeText("2 tasks made pending");
    soon(
        () ->
            assertThat(on.inspector.queue("mail").snapshot().size(TaskState.PENDING)).isEqualTo(2));
    soon(() -> assertThat(browser.text(".page-meta")).contains("1 cause"));
    browser.press(".failure", "Delete");
    browser.press("dialog", "Delete 1");
    soon(() -> assertThat(on.inspector.queue("mail").snapshot().size(TaskState.RETRY)).isZero());

    browser.go("/audit");
    browser.seeText("the network is back");
    assertThat(browser.text("table")).contains("startJob").contains("done");
    browser.go("/jobs");
    // The tray shows the jobs as well, before the page has loaded them.
    soon(() -> assertThat(browser.text(".job-card")).contains("Run now", "2 done", "0 failed"));
  }

  @Test
  void searchResultsAreMovedAndRescheduled() {
    for (int i = 0; i < 5; i++) {
      on.enqueue("mail", i < 3 ? "wanted" : "other", o -> o);
    }
    open("/search?q=type:wanted%20state:pending");
    browser.seeText("3 tasks");

    browser.press(".search-line", "Move");
    browser.write("dialog input", "slow");
    browser.press("dialog", "Move 3");
    browser.seeText("3 tasks moved");
    assertThat(on.inspector.queue("slow").snapshot().size(TaskState.PENDING)).isEqualTo(3);
    browser.press(".search-line", "Reschedule");
    browser.press("dialog", "Reschedule 3");
    browser.seeText("3 tasks rescheduled");

    assertThat(on.inspector.queue("slow").snapshot().size(TaskState.SCHEDULED)).isEqualTo(3);
    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.PENDING)).isEqualTo(2);
  }

  @Test
  void tasksOfAGroupOfferWhatTheirStateAllowsAndAreMoved() {
    on.enqueue("mail", "email", o -> o.id("a").group("g"));
    on.enqueue("mail", "email", o -> o.id("b").group("g"));
    open("/search?q=state:aggregating");
    browser.seeText("2 tasks");

    assertThat(browser.text(".search-line")).doesNotContain("Reschedule").doesNotContain("Cancel");
    browser.press(".search-line", "Move");
    browser.write("dialog input", "slow");
    browser.press("dialog", "Move 2");
    browser.seeText("2 tasks moved");

    assertThat(on.inspector.queue("slow").groups()).isEqualTo(Map.of("g", 2L));
  }

  @Test
  void failuresOfSomeTasksOfABatchAreReported() {
    on.enqueue("mail", "email", o -> o.id("a"));
    on.enqueue("mail", "email", o -> o.id("b"));
    open("/queues/mail?state=pending");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Archive");
    browser.see("dialog[open]");

    on.inspector.queue("mail").delete("a");
    browser.press("dialog", "Archive 2");

    assertThat(browser.see(".toast.bad").getText())
        .contains("1 task archived, 1 failed")
        .contains("a:");
    assertThat(task("b").state()).isEqualTo(TaskState.ARCHIVED);
  }

  @Test
  void theDataIsCheckedAndRepaired() {
    on.enqueue("mail", "email", o -> o.id("a"));
    try (var jedis = on.jedis()) {
      jedis.lrem("asynq:{mail}:pending", 0, "a");
    }
    open("/redis");

    browser.press(".page-actions", "Check data");
    browser.press("dialog", "Check");
    browser.see(".job[data-state=done]");
    assertThat(browser.text(".job"))
        .startsWith("Check data")
        .contains("record-without-container in mail: 1 found, 0 repaired");
    browser.press(".page-actions", "Check and repair");
    browser.press("dialog", "Check and repair");
    browser.seeText("1 repaired");
  }

  @Test
  void aLateResponseDoesNotShowAFinishedJobAsRunning() {
    on.enqueue("mail", "email", o -> o.id("a"));
    open("/redis");

    browser.run(
        """
        const tray = document.querySelector('jobs-tray');
        const job = {id: '1', action: 'doctor', state: 'running', looked: 5, total: 5};
        tray.follow(job);
        tray.took({...job, state: 'done'});
        tray.took(job);
        """);

    browser.see(".job[data-state=done]");
  }

  // ---- settings

  @Test
  void preferencesApplyImmediatelyAndPersist() {
    on.enqueue("mail", "email", o -> o.id("a"));
    open("/settings");

    browser.press(".setting", "dark");
    assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
        .isEqualTo("rgb(14, 17, 23)");
    browser.press(".setting", "UTC");
    browser.go("/queues/mail?state=pending");
    browser.see("task-table time");
    assertThat(browser.text("task-table time")).endsWith("UTC");
    browser.go("/settings");
    browser.press(".setting", "local");
    browser.go("/queues/mail?state=pending");
    browser.see("task-table time");
    assertThat(browser.text("task-table time"))
        .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");
    browser.run("location.reload()");
    browser.see("task-table time");
    assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");
    browser.run("localStorage.clear()");
  }

  // ---- copied

  /** The forms in which the action of the open dialog can be copied. */
  private static void collect(Set<String> commands, Set<String> requests) {
    browser.see("dialog[open] .commands button");
    for (String line :
        String.valueOf(
                browser.run(
                    "return [...document.querySelectorAll('.commands button')].map(b =>"
                        + " b.title).join('\\u0001')"))
            .split("\u0001", -1)) {
      (line.startsWith("curl ") ? requests : commands).add(line);
    }
    browser.type(Keys.ESCAPE);
    soon(() -> assertThat(browser.shown("dialog[open]")).isEmpty());
  }

  private static void select(String value) {
    browser.see("dialog[open] select");
    browser.run(
        "const s = document.querySelector('dialog select'); s.value = arguments[0];"
            + " s.dispatchEvent(new Event('change'))",
        value);
  }

  @Test
  void everyActionCanBeCopiedAsACommandAndARequest() {
    Set<String> commands = new TreeSet<>();
    Set<String> requests = new TreeSet<>();
    Scheduler scheduler =
        Scheduler.builder(on.redis)
            .add("nightly", Schedule.cron("30 2 * * *"), Task.of("report"))
            .build();
    TaskServer server =
        TaskServer.builder(on.redis)
            .queue("elsewhere", 1)
            .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
            .handlers((task, context) -> Outcome.done())
            .build();
    try (scheduler;
        server) {
      scheduler.start();
      server.start();
      on.enqueue("mail", "email", o -> o.id("running"));
      claim("mail");
      failed("broken", "connection refused");
      on.enqueue("mail", "it's \"odd\"", o -> o.id("-odd id"));
      on.enqueue("mail", "email", o -> o.id("b"));
      on.enqueue("mail", "email", o -> o.id("item").group("g 1"));
      soon(() -> assertThat(on.inspector.schedules()).hasSize(1));
      soon(() -> assertThat(on.inspector.servers()).hasSize(1));
      open("/queues/mail/tasks/running");
      browser.catchCopies();
      tasks(commands, requests);
      many(commands, requests);
      rest(commands, requests);
      form(commands, requests);
      String id = on.inspector.servers().get(0).id();
      Set<String> general = new TreeSet<>();
      commands.forEach(command -> general.add(command.replace(id, "SERVER")));

      assertThat(general).containsExactlyInAnyOrderElementsOf(CopiedCommands.known());
      requests.forEach(PageActionsIT::requireRoute);
    }
  }

  private static void tasks(Set<String> commands, Set<String> requests) {
    browser.press(".action-bar", "Cancel");
    select("archive");
    collect(commands, requests);
    browser.press(".page-actions", "Copy as CLI");
    commands.add(browser.copied());
    browser.press(".page-actions", "Copy as curl");
    requests.add(browser.copied());
    browser.go("/queues/mail/tasks/broken");
    browser.see(".badge.state-retry");
    for (String action : List.of("Run now", "Archive", "Delete", "Reschedule")) {
      browser.press(".action-bar", action);
      collect(commands, requests);
    }
    browser.press(".action-bar", "Move");
    browser.write("dialog[open] input", "slow");
    collect(commands, requests);
    browser.press(".action-bar", "Copy task");
    browser.see("dialog[open]");
    browser.write("dialog[open] label:nth-of-type(2) input", "10m");
    collect(commands, requests);
    browser.press(".action-bar", "Edit payload");
    select("run");
    browser.write("dialog[open] textarea", "@it's");
    collect(commands, requests);
  }

  private static void many(Set<String> commands, Set<String> requests) {
    browser.go("/queues/mail?state=pending");
    browser.seeText("it's");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Archive");
    collect(commands, requests);
    browser.go("/queues/mail?state=retry");
    browser.seeText("connection refused");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Select all 1");
    for (String action : List.of("Run now", "Archive", "Delete")) {
      browser.press(".bulk", action);
      collect(commands, requests);
    }
    browser.press(".bulk", "Move");
    browser.write("dialog[open] input", "slow");
    collect(commands, requests);
    browser.press(".bulk", "Reschedule");
    collect(commands, requests);
    browser.go("/queues/mail?state=retry&q=" + "type%3Aem*%20error%3A%22connection%20refused%22");
    browser.seeText("connection refused");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Select all matching");
    browser.press(".bulk", "Delete");
    collect(commands, requests);
    browser.go("/queues/mail?state=active");
    browser.seeText("running");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Select all 1");
    browser.press(".bulk", "Cancel");
    select("delete");
    collect(commands, requests);
    browser.go("/queues/mail?state=aggregating&group=g%201");
    browser.seeText("item");
    browser.see("task-table thead input").click();
    browser.press(".bulk", "Select all 1");
    browser.press(".bulk", "Run now");
    collect(commands, requests);
  }

  private static void rest(Set<String> commands, Set<String> requests) {
    browser.go("/queues/mail");
    browser.press(".page-actions", "Pause");
    collect(commands, requests);
    browser.press(".page-actions", "Limits");
    collect(commands, requests);
    browser.press(".page-actions", "Limits");
    browser.write("dialog[open] input", "7");
    select("true");
    collect(commands, requests);
    browser.press(".page-actions", "Remove");
    collect(commands, requests);
    on.inspector.queue("mail").pause();
    browser.press(".page-actions", "Resume");
    collect(commands, requests);
    browser.go("/schedules/nightly");
    for (String action : List.of("Run now", "Pause")) {
      browser.press(".page-actions", action);
      collect(commands, requests);
    }
    on.inspector.pauseSchedule("nightly");
    browser.go("/schedules");
    browser.go("/schedules/nightly");
    browser.press(".page-actions", "Resume");
    collect(commands, requests);
    browser.go("/servers");
    for (String action : List.of("Quiet", "Stop")) {
      browser.press(".server", action);
      collect(commands, requests);
    }
    browser.go("/redis");
    for (String action : List.of("Check data", "Check and repair")) {
      browser.press(".page-actions", action);
      collect(commands, requests);
    }
  }

  private static void form(Set<String> commands, Set<String> requests) {
    browser.go("/enqueue?queue=mail&type=email");
    browser.write(".enqueue textarea", "{\"user\": \"O'Hara\"}");
    fill("Run in", "10m");
    fill("Retries", "3");
    fill("Timeout", "30s");
    fill("Deadline", "2099-01-31T08:00:00Z");
    fill("Unique for", "1h");
    fill("Retention", "24h");
    fill("Group", "g1");
    fill("ID", "x");
    browser.write(".enqueue textarea[placeholder='tenant=acme']", "tenant=acme");
    copyForm(commands, requests);
    browser.go("/enqueue?queue=slow&type=bytes");
    fill("Run at", "2099-01-31T08:00:00Z");
    browser.press(".enqueue .segmented", "base64");
    browser.write(".enqueue textarea", "AAEC");
    copyForm(commands, requests);
  }

  private static void copyForm(Set<String> commands, Set<String> requests) {
    browser.press(".enqueue", "Copy as CLI");
    commands.add(browser.copied());
    browser.press(".enqueue", "Copy as curl");
    requests.add(browser.copied());
  }

  /** The API has what a line for curl asks for. */
  private static void requireRoute(String line) {
    List<String> words = new ArrayList<>(CopiedCommands.words(line));
    int method = words.indexOf("-X");
    String path = java.net.URI.create(words.get(words.size() - 1)).getPath();
    try (DashboardServlet servlet = Dashboard.builder(on.redis).servlet()) {
      assertThat(
              servlet.application().router().find(method < 0 ? "GET" : words.get(method + 1), path))
          .as(line)
          .isPresent();
    }
    int body = words.indexOf("-d");
    if (body >= 0) {
      assertThat(Json.read(words.get(body + 1).getBytes(java.nio.charset.StandardCharsets.UTF_8)))
          .as(line)
          .isPresent();
      assertThat(words).contains("Content-Type: application/json");
    }
  }
}
