package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.dashboard.internal.auth.LoginLimiter;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the pages offer to each role. SecurityIT tests that the API refuses the rest. */
@SuppressWarnings("NullAway.Init") // Set before each test.
class PageRolesIT {

  private static final int WIDE = 1_440;
  private static final int NARROW = 390;

  /** A page, a text that it shows when it is loaded, and the actions that each role has there. */
  private record Place(String address, String text, Set<String> operator, Set<String> admin) {}

  private static final List<Place> PLACES =
      List.of(
          new Place("/queues", "mail", Set.of("Pause mail"), Set.of("Remove mail")),
          new Place(
              "/queues/mail?state=retry",
              "connection refused",
              Set.of("Enqueue", "Pause"),
              Set.of("Limits", "Remove")),
          new Place(
              "/queues/mail/tasks/a",
              "connection refused",
              Set.of(
                  "Run now",
                  "Archive",
                  "Delete",
                  "Move",
                  "Reschedule",
                  "Copy task",
                  "Edit payload"),
              Set.of()),
          new Place(
              "/failures",
              "connection refused",
              Set.of("Retry group", "Archive", "Delete"),
              Set.of()),
          new Place("/servers", "1 worker", Set.of(), Set.of("Quiet", "Stop")),
          new Place("/schedules", "report", Set.of("Run report now", "Pause report"), Set.of()),
          new Place("/redis", "redis_version", Set.of("Check data"), Set.of("Check and repair")),
          new Place(
              "/search?q=state%3Aretry",
              "connection refused",
              Set.of("Run now", "Archive", "Delete", "Move", "Reschedule"),
              Set.of()));

  private static final String WORD = "a long word";

  @RegisterExtension static final Browser browser = new Browser();
  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private TaskServer server;
  private Scheduler scheduler;

  private static Credentials credentials() {
    String hash = PasswordHash.of(WORD.toCharArray(), 1_000).toString();
    return Credentials.of(
        List.of(
            "user vera viewer * " + hash,
            "user otto operator * " + hash,
            "user anna admin * " + hash,
            "user mia operator mail* " + hash));
  }

  @BeforeEach
  void fill() {
    on.enqueue("mail", "email", o -> o.id("a"));
    TaskLeases leases = TaskLeases.create(on.redis);
    leases.settle(
        leases.claim("mail", 1, Duration.ofMinutes(5)).get(0),
        Outcome.retry("connection refused", Duration.ofHours(1)));
    on.enqueue("billing", "charge", o -> o.id("b").processIn(Duration.ofHours(1)));
    server =
        TaskServer.builder(on.redis)
            .queue("mail", 1)
            .concurrency(1)
            .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
            .handlers((task, context) -> Outcome.done())
            .build();
    server.start();
    scheduler =
        Scheduler.builder(on.redis)
            .add("nightly", Schedule.cron("30 2 * * *"), Task.of("report"))
            .build();
    scheduler.start();
  }

  @AfterEach
  void end() {
    server.close();
    scheduler.close();
  }

  /** What can be done on each page. */
  private static Map<String, Set<String>> offered(Dashboard dashboard, String user) {
    Set<String> changing = new TreeSet<>();
    PLACES.forEach(
        place -> {
          changing.addAll(place.operator());
          changing.addAll(place.admin());
        });
    browser.fresh(WIDE, false);
    browser.openAt(
        dashboard
            .uri()
            .toString()
            .replace("http://", "http://" + user + ":" + WORD.replace(" ", "%20") + "@"),
        "/settings");
    Map<String, Set<String>> offered = new LinkedHashMap<>();
    for (Place place : PLACES) {
      browser.go(place.address());
      browser.seeText(place.text());
      Set<String> here = new TreeSet<>(browser.offers());
      here.retainAll(changing);
      offered.put(place.address(), here);
    }
    return offered;
  }

  private static Map<String, Set<String>> expected(boolean isOperator, boolean isAdmin) {
    Map<String, Set<String>> all = new LinkedHashMap<>();
    for (Place place : PLACES) {
      Set<String> here = new TreeSet<>();
      if (isOperator) {
        here.addAll(place.operator());
      }
      if (isAdmin) {
        here.addAll(place.admin());
      }
      all.put(place.address(), here);
    }
    return all;
  }

  @Test
  void aViewerSeesNoActions() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));

    assertThat(offered(dashboard, "vera")).isEqualTo(expected(false, false));
    assertThat(browser.text(".menu")).contains("vera", "viewer").doesNotContain("Audit");
    assertThat(browser.shown(".topbar .primary")).isEmpty();
  }

  @Test
  void anOperatorSeesTheActionsOfTheRole() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));

    assertThat(offered(dashboard, "otto")).isEqualTo(expected(true, false));
    assertThat(browser.text(".menu")).contains("otto", "operator", "Audit");
    assertThat(browser.shown(".topbar .primary")).hasSize(1);
  }

  @Test
  void anAdministratorSeesAllActions() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));

    assertThat(offered(dashboard, "anna")).isEqualTo(expected(true, true));
  }

  @Test
  void aReadOnlyDashboardShowsNoActionsToAnAdministrator() {
    Dashboard dashboard =
        on.start(builder -> builder.access(a -> a.credentials(credentials())).readOnly(true));

    assertThat(offered(dashboard, "anna")).isEqualTo(expected(false, false));
    assertThat(browser.text(".menu")).contains("read-only");
  }

  @Test
  void usersSeeOnlyTheirQueues() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));

    browser.fresh(WIDE, false);
    browser.openAt(
        dashboard.uri().toString().replace("http://", "http://mia:a%20long%20word@"), "/queues");
    browser.seeText("mail");
    assertThat(browser.text("main")).doesNotContain("billing");
    for (String place : List.of("/", "/servers", "/schedules", "/metrics", "/redis")) {
      browser.go(place);
      browser.see("h1");
      assertThat(browser.text("main")).as(place).doesNotContain("billing");
    }
    browser.go("/search?q=state%3Ascheduled");
    browser.seeText("No tasks match");
    browser.go("/queues/billing");
    browser.seeText("Queue not found");
    browser.go("/queues/billing/tasks/b");
    browser.seeText("Task not found");
  }

  private static void loginAs(Dashboard dashboard, String pair) {
    browser.load(dashboard.uri().toString().replace("http://", "http://" + pair + "@"));
  }

  @Test
  void aWrongPasswordShowsNothing() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));

    browser.fresh(WIDE, false);
    loginAs(dashboard, "anna:guess");

    assertThat(browser.shown("app-shell")).isEmpty();
    assertThat(browser.text("body")).doesNotContain("mail");
  }

  @Test
  void tooManyFailedLoginsAreDelayedWithRetryAfter() {
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.credentials(credentials())));
    browser.fresh(NARROW, true);
    for (int i = 0; i < LoginLimiter.PER_NAME; i++) {
      loginAs(dashboard, "anna:guess" + i);
    }

    // Even the right password, or guessing would continue.
    loginAs(dashboard, "anna:" + WORD.replace(" ", "%20"));

    assertThat(browser.text("h1")).isEqualTo("Too many requests");
    assertThat(browser.text("main"))
        .containsPattern("Too many failed logins. Try again in \\d+ seconds.");
    assertThat(browser.barriers()).isEmpty();
    browser.picture("390-dark-login");

    // Others are not in the way.
    loginAs(dashboard, "otto:" + WORD.replace(" ", "%20"));
    browser.see("app-shell");
  }
}
