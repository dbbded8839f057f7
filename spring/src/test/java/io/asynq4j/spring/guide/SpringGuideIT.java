package io.asynq4j.spring.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.TaskServerCustomizer;
import io.asynq4j.spring.TaskServers;
import io.asynq4j.spring.TaskTypes;
import io.asynq4j.spring.guide.Shop.Mailer;
import io.asynq4j.spring.guide.Shop.SignedUp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** The code of docs/guides/spring.md is that of this package, and runs. */
class SpringGuideIT {

  private static final Path PAGE = Path.of("../docs/guides/spring.md");
  private static final Path SOURCES = Path.of("src/test/java/io/asynq4j/spring/guide");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void everyBlockOfThePageIsCompiled() throws IOException {
    String sources =
        withoutIndent(
            Files.readString(SOURCES.resolve("Hello.java"))
                + Files.readString(SOURCES.resolve("Shop.java")));

    List<String> blocks =
        BLOCK.matcher(Files.readString(PAGE)).results().map(block -> block.group(1)).toList();

    assertThat(blocks).hasSizeGreaterThan(8);
    assertThat(blocks).allSatisfy(block -> assertThat(sources).contains(withoutIndent(block)));
  }

  private static String withoutIndent(String code) {
    return code.lines()
        .map(String::strip)
        .map(line -> line.replace("static class", "class"))
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void theFirstProgramPrintsWhatThePageShows() throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      Hello.main(new String[0]);
    } finally {
      System.setOut(out);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("Hello, world!\n");
    assertThat(Files.readString(PAGE)).contains("`Hello, world!`");
  }

  static class RecordingMailer implements Mailer {

    final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

    @Override
    public boolean send(String to, String text) {
      return sent.add(to + ": " + text);
    }
  }

  /** Records what has run, and lets two tasks complete a group. */
  @Configuration
  static class Recorder {

    final BlockingQueue<String> done = new LinkedBlockingQueue<>();

    @Bean
    Middleware recorded() {
      return (task, context, next) -> {
        Outcome outcome = next.call();
        done.add(task.type());
        return outcome;
      };
    }

    @Bean
    TaskServerCustomizer smallGroups() {
      return (name, server) -> server.groups(groups -> groups.maxSize(2));
    }

    void await(String type) throws InterruptedException {
      assertThat(done.poll(1, TimeUnit.MINUTES)).isEqualTo(type);
    }
  }

  private static AnnotationConfigApplicationContext start(String uri, Class<?>... components) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("shop.redis", uri)));
    context.register(RecordingMailer.class, Shop.Application.class);
    context.register(components);
    context.refresh();
    return context;
  }

  @Test
  void theShopRuns() throws InterruptedException {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start()) {
      try (var context =
          start(
              redis.uri(),
              Shop.Mails.class,
              Shop.SignUp.class,
              Shop.Invoices.class,
              Shop.Digests.class,
              Shop.Servers.class,
              Shop.Schedules.class,
              Recorder.class)) {
        Recorder recorder = context.getBean(Recorder.class);
        RecordingMailer mailer = context.getBean(RecordingMailer.class);
        TaskClient client = context.getBean(TaskClient.class);
        TaskTypes types = context.getBean(TaskTypes.class);

        context.getBean(Shop.SignUp.class).welcome(new SignedUp("ada@example.com"));
        recorder.await("email:welcome");
        assertThat(mailer.sent.poll()).isEqualTo("ada@example.com: Welcome!");
        client.enqueue(
            types.of("email:reminder", String.class), "ada", o -> o.header("tenant", "acme"));
        recorder.await("email:reminder");
        assertThat(mailer.sent.poll()).isEqualTo("ada: Please come back to acme");
        client.enqueue(Shop.INVOICE, new Shop.Invoice(7));
        recorder.await("invoice");
        for (String text : List.of("one", "two")) {
          client.enqueue(
              TaskType.of("notification", Shop.Notification.class),
              new Shop.Notification(text),
              o -> o.group("ada"));
        }
        recorder.await("digest");
        context.getBean(Inspector.class).runSchedule("clean-up");
        recorder.await("clean-up");
        assertThat(context.getBean(Scheduler.class).entries())
            .extracting(ScheduleEntry::name)
            .containsExactlyInAnyOrder("nightly-digest", "clean-up", "report");
        assertThat(context.getBean(TaskServers.class).names())
            .containsExactlyInAnyOrder("default", "billing");
      }
      try (var producer =
          start(redis.uri(), Shop.Mails.class, Shop.SignUp.class, Shop.Producer.class)) {
        producer.getBean(Shop.SignUp.class).welcome(new SignedUp("bob@example.com"));
        assertThat(producer.getBean(TaskServers.class).names()).isEmpty();
      }
    }
  }
}
