package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Action;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.internal.CoreRuntimeHints;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** A context that is generated ahead of time runs tasks, and names what a native image needs. */
@CompileWithForkedClassLoader
class AotIT {

  record Parcel(String to, List<Item> items) {}

  record Item(String name) {}

  record Label(String text) {}

  record Ping(int number) {}

  record Pong(int number) {}

  interface Shipping {

    @TaskHandler(value = "ship", retention = "1h")
    Label ship(Parcel parcel);
  }

  static class ParcelService implements Shipping {

    @Override
    public Label ship(Parcel parcel) {
      return new Label(parcel.to() + " gets " + parcel.items().get(0).name());
    }

    @ScheduledTask(name = "nightly", cron = "@daily")
    void nightly() {}
  }

  static class Producer {

    final ResultTaskType<Parcel, Label> ship;
    final TaskType<?> byName;

    public Producer(ResultTaskType<Parcel, Label> ship, @Qualifier("ship") TaskType<?> byName) {
      this.ship = ship;
      this.byName = byName;
    }
  }

  @Configuration
  @EnableAsynq
  @Import({ParcelService.class, Producer.class})
  static class App {

    static String uri = "redis://127.0.0.1:1";

    @Bean
    public RedisConnection redis() {
      return RedisConnection.open(uri);
    }

    @Bean
    public TaskType<Pong> pong() {
      return TaskType.of("pong", Pong.class);
    }

    @Bean
    @TaskHandler(value = "ping", retention = "1h")
    public Action<Ping> ping() {
      return (ping, context) -> context.writeResult("ping " + ping.number());
    }
  }

  @Test
  void aGeneratedContextRunsTasksAndHasTheHints() {
    TestGenerationContext generation = new TestGenerationContext();
    AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
    source.register(App.class);
    var initializer = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
    generation.writeGeneratedContent();

    assertHints(generation.getRuntimeHints());
    TestCompiler.forSystem()
        .with(generation)
        .compile(
            compiled -> {
              var instance =
                  compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
              try (EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start();
                  GenericApplicationContext context = new GenericApplicationContext()) {
                App.uri = redis.uri();
                initialize(instance, context);
                context.refresh();
                assertTasksRun(context);
              }
            });
  }

  @SuppressWarnings("unchecked")
  private static void initialize(
      ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
    ((ApplicationContextInitializer<GenericApplicationContext>) initializer).initialize(context);
  }

  private static void assertHints(RuntimeHints hints) {
    new CoreRuntimeHints().registerHints(hints, null);
    assertThat(methods(hints, ParcelService.class)).contains("ship", "nightly");
    assertThat(methods(hints, Shipping.class)).contains("ship");
    for (Class<?> bound : List.of(Parcel.class, Item.class, Label.class, Ping.class, Pong.class)) {
      assertThat(hint(hints, bound).getMemberCategories())
          .contains(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    }
    assertThat(methods(hints, Parcel.class)).contains("to", "items");
    assertThat(resource().forResource("io/asynq4j/internal/redis/script/lua/claim.lua"))
        .accepts(hints);
  }

  private static TypeHint hint(RuntimeHints hints, Class<?> type) {
    return Objects.requireNonNull(hints.reflection().getTypeHint(type), type::getName);
  }

  private static List<String> methods(RuntimeHints hints, Class<?> type) {
    return hint(hints, type).methods().map(method -> method.getName()).toList();
  }

  private static void assertTasksRun(GenericApplicationContext context) {
    TaskTypes types = context.getBean(TaskTypes.class);
    TaskClient client = context.getBean(TaskClient.class);
    TaskInfo ship =
        client
            .enqueue(types.of(Parcel.class), new Parcel("Ada", List.of(new Item("a book"))))
            .orThrow();
    TaskInfo ping = client.enqueue(types.of(Ping.class), new Ping(7)).orThrow();

    assertThat(context.getBean(Producer.class).ship.name()).isEqualTo("ship");
    assertThat(context.getBean(Producer.class).byName.name()).isEqualTo("ship");
    assertThat(result(context, ship)).isEqualTo("{\"text\":\"Ada gets a book\"}");
    assertThat(result(context, ping)).isEqualTo("\"ping 7\"");
    assertThat(context.getBean(Scheduler.class).entries()).hasSize(1);
    assertThat(context.getBean(TaskServers.class).names()).containsExactly("default");
  }

  private static String result(GenericApplicationContext context, TaskInfo task) {
    Inspector inspector = context.getBean(Inspector.class);
    return Awaitility.await()
        .until(
            () -> inspector.queue(task.queue()).task(task.id()),
            found -> found.state() == TaskState.COMPLETED)
        .result()
        .utf8();
  }
}
