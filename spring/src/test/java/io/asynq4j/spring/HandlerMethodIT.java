package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.ResultTaskType;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.codec.TypeRef;
import io.asynq4j.handler.Action;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.inspect.Inspector;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.Order;

/** What methods and beans may look like that handle tasks. One context for all tests. */
class HandlerMethodIT {

  private static TestApp app;

  record WelcomeEmail(String to, String language) {}

  record Image(String name) {}

  record Thumbnail(String name, int width) {}

  record Order1(int number) {}

  static class Mails {

    @TaskHandler(
        value = "email:welcome",
        queue = "${mail.queue}",
        maxRetry = 3,
        timeout = "${mail.timeout:45s}",
        uniqueFor = "1m",
        retention = "1h")
    String welcome(WelcomeEmail mail) {
      return "sent to " + mail.to();
    }

    @TaskHandler("all")
    String all(
        TaskContext context,
        @TaskHeader("tenant") String tenant,
        Task task,
        @TaskHeader("trace") Optional<String> trace,
        @TaskHeader(value = "region", required = false) @Nullable String region) {
      return String.join(" ", context.id(), tenant, task.type(), trace.orElse("-"), "" + region);
    }

    @TaskHandler(value = "image:resize", retention = "1h")
    Thumbnail resize(Image image) {
      return new Thumbnail(image.name(), 100);
    }

    @TaskHandler(value = "orders", retention = "1h")
    int orders(List<Order1> orders) {
      return orders.stream().mapToInt(Order1::number).sum();
    }

    @TaskHandler("throws")
    void bare() throws Throwable {
      throw new Throwable("neither an exception nor an error");
    }

    @TaskHandler("archives")
    Outcome archives() {
      return Outcome.archive("not wanted");
    }

    @TaskHandler("no-outcome")
    @SuppressWarnings("NullAway") // As in code without null checks.
    Outcome noOutcome() {
      return null;
    }

    @TaskHandler("checked")
    void checked() throws IOException {
      throw new IOException("disk full");
    }

    @TaskHandler("first-name")
    @TaskHandler("second-name")
    String severalNames(TaskContext context) {
      return context.type();
    }

    @Retried("meta")
    String meta() {
      return "by meta-annotation";
    }
  }

  @Retention(RetentionPolicy.RUNTIME)
  @TaskHandler(maxRetry = 7)
  @interface Retried {

    @AliasFor(annotation = TaskHandler.class)
    String value();
  }

  /** Spring subclasses it, but it is no proxy of another object. */
  @Configuration
  static class FinalMethod {

    private final String answer = "final";

    @Bean
    Runnable other() {
      return () -> {};
    }

    @TaskHandler("final")
    final String handle() {
      return answer;
    }
  }

  abstract static class Base<T> {

    @TaskHandler(value = "${base.type:generic}", retention = "1h")
    String handle(T input) {
      return input.getClass().getSimpleName();
    }
  }

  record Invoice(int number) {}

  static class Invoices extends Base<Invoice> {}

  record Parcel(int number) {}

  abstract static class Delivery<T> {

    @TaskHandler(value = "delivery", retention = "1h")
    abstract String deliver(T goods, @TaskHeader("tenant") String tenant);

    @TaskHandler(value = "deliveries", retention = "1h")
    int deliver(Map<String, List<T>> goods) {
      return goods.values().stream().mapToInt(List::size).sum();
    }

    @TaskHandler("returns")
    void take(T[] goods) {}
  }

  static class ParcelDelivery extends Delivery<Parcel> {

    @Override
    String deliver(Parcel parcel, String tenant) {
      return parcel.number() + " for " + tenant;
    }
  }

  abstract static class ByName<T> implements Action<Map<String, T>> {}

  @TaskHandler("by-name")
  static class ParcelsByName extends ByName<List<Parcel>> {

    @Override
    public void run(Map<String, List<Parcel>> parcels, TaskContext context) {}
  }

  interface Api {

    @TaskHandler("interface")
    String handle(@TaskHeader("tenant") String tenant);
  }

  static class Implementation implements Api {

    @Override
    public String handle(String tenant) {
      return "for " + tenant;
    }
  }

  @Lazy
  static class Expensive {

    static final AtomicInteger CREATED = new AtomicInteger();

    Expensive() {
      CREATED.incrementAndGet();
    }

    @TaskHandler("lazy")
    String handle() {
      return "lazy";
    }
  }

  @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
  static class Prototype {

    private int calls;

    @TaskHandler("prototype")
    int handle() {
      return ++calls;
    }
  }

  @Scope(value = ConfigurableBeanFactory.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class ScopedProxy {

    private int calls;

    @TaskHandler("scoped-proxy")
    int handle() {
      return ++calls;
    }
  }

  @TaskHandler(value = "handler-bean", retention = "1h")
  static class HandlerBean implements Handler<Image> {

    @Override
    public Outcome handle(Image image, TaskContext context) {
      return Outcome.done("handled " + image.name());
    }
  }

  record Mention(String of) {}

  @Configuration
  static class Beans {

    @Bean
    @TaskHandler(value = "action-bean", retention = "1h")
    Action<Mention> actionBean() {
      return (mention, context) -> context.writeResult("noted " + mention.of());
    }

    @Bean
    @TaskHandler("raw:")
    Handler<Task> rawHandler() {
      return (task, context) -> Outcome.done(task.type());
    }

    @Bean
    TaskType<Long> numberType() {
      return TaskType.of("number", Long.class).with(o -> o.retention(Duration.ofHours(1)));
    }

    @Bean
    Mux mux() {
      return Mux.builder().handle("mux:", (task, context) -> Outcome.done("by mux")).build();
    }

    @Bean
    @Order(2)
    Middleware inner() {
      return (task, context, next) -> surrounded("inner", next.call());
    }

    @Bean
    @Order(1)
    Middleware outer() {
      return (task, context, next) -> surrounded("outer", next.call());
    }

    private static Outcome surrounded(String by, Outcome outcome) {
      return outcome instanceof Outcome.Done done
              && done.result() instanceof String result
              && result.startsWith("layers")
          ? Outcome.done(result + " " + by)
          : outcome;
    }
  }

  static class Layers {

    @TaskHandler("layers")
    String handle() {
      return "layers";
    }

    @TaskHandler(bean = "numberType")
    String number(long number) {
      return "number " + number;
    }

    @TaskHandler("loader")
    boolean loader() {
      return Thread.currentThread().getContextClassLoader() == LOADER;
    }
  }

  private static final ClassLoader LOADER =
      new URLClassLoader(new URL[0], HandlerMethodIT.class.getClassLoader());

  @BeforeAll
  static void start() {
    app =
        TestApp.builder()
            .property("mail.queue", "mail")
            .classLoader(LOADER)
            .start(
                Mails.class,
                Invoices.class,
                ParcelDelivery.class,
                ParcelsByName.class,
                FinalMethod.class,
                Implementation.class,
                Expensive.class,
                Prototype.class,
                ScopedProxy.class,
                HandlerBean.class,
                Beans.class,
                Layers.class,
                Producer.class);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void attributesBecomeOptionsOfTheTypeThatIsEnqueued() {
    TaskInfo task = app.enqueue(new WelcomeEmail("ada", "en"));

    assertThat(task.queue().value()).isEqualTo("mail");
    assertThat(task.maxRetry()).isEqualTo(3);
    assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(45));
    assertThat(task.uniqueKey()).isNotEmpty();
    assertThat(app.result(task)).isEqualTo("\"sent to ada\"");
  }

  @Test
  void parametersComeInAnyOrder() {
    TaskInfo task = app.enqueue("all", Map.of("tenant", "acme"));

    assertThat(app.result(task)).isEqualTo("\"" + task.id() + " acme all - null\"");
  }

  @Test
  void aMissingHeaderFailsTheAttempt() {
    TaskInfo task = app.await(app.enqueue("all", Map.of()), TaskState.RETRY);

    assertThat(task.lastError())
        .contains("the task has no header \"tenant\"", "bean \"handlerMethodIT.Mails\"");
  }

  @Test
  void clientsWaitForResultsOfTheTypeOfTheMethod() throws Exception {
    ResultTaskType<Image, Thumbnail> type = app.types().of(Image.class, Thumbnail.class);
    TaskClient client = app.bean(TaskClient.class);
    TaskInfo task = client.enqueue(type, new Image("cat")).orThrow();

    assertThat(client.awaitResult(type, task, Duration.ofSeconds(60)))
        .isEqualTo(new Thumbnail("cat", 100));
  }

  @Test
  void payloadsMayBeGeneric() {
    TaskType<List<Order1>> type = app.types().of("orders", new TypeRef<List<Order1>>() {});
    TaskInfo task =
        app.bean(TaskClient.class).enqueue(type, List.of(new Order1(1), new Order1(2))).orThrow();

    assertThat(app.result(task)).isEqualTo("3");
  }

  @Test
  void outcomesAreApplied() {
    TaskInfo task = app.await(app.enqueue("archives", Map.of()), TaskState.ARCHIVED);

    assertThat(task.lastError()).isEqualTo("not wanted");
  }

  @Test
  void anOutcomeOfNullFailsTheAttempt() {
    TaskInfo task = app.await(app.enqueue("no-outcome", Map.of()), TaskState.RETRY);

    assertThat(task.lastError())
        .contains("method Mails.noOutcome() returned null instead of an outcome");
  }

  @Test
  void checkedExceptionsReachTheServerAsThrown() {
    TaskInfo task = app.await(app.enqueue("checked", Map.of()), TaskState.RETRY);

    assertThat(task.lastError()).contains("disk full");
    assertThat(app.bean(Inspector.class).queue("default").failures(task.id()))
        .singleElement()
        .satisfies(failure -> assertThat(failure.toString()).contains("IOException"));
  }

  @Test
  void anyThrowableReachesTheServerAsThrown() {
    TaskInfo task = app.await(app.enqueue("throws", Map.of()), TaskState.RETRY);

    assertThat(task.lastError())
        .isEqualTo("java.lang.Throwable: neither an exception nor an error");
  }

  @Test
  void aMethodMayHandleSeveralTypes() {
    assertThat(app.resultOf("first-name")).isEqualTo("\"first-name\"");
    assertThat(app.resultOf("second-name")).isEqualTo("\"second-name\"");
  }

  @Test
  void annotationsMayBeComposed() {
    assertThat(app.resultOf("meta")).isEqualTo("\"by meta-annotation\"");
    assertThat(app.types().find("meta").orElseThrow().options().maxRetry()).isEqualTo(7);
  }

  @Test
  void methodsOfGenericSuperclassesTakeTheTypeOfTheSubclass() {
    assertThat(app.result(app.enqueue(new Invoice(1)))).isEqualTo("\"Invoice\"");
  }

  @Test
  void annotationsOfGenericMethodsApplyToTheMethodsThatOverrideThem() {
    TaskType<Parcel> delivery = app.types().of(Parcel.class).with(o -> o.header("tenant", "acme"));

    assertThat(app.result(app.bean(TaskClient.class).enqueue(delivery, new Parcel(7)).orThrow()))
        .isEqualTo("\"7 for acme\"");
  }

  @Test
  void typesOfGenericSuperclassesAreKnownAtAnyDepth() {
    TypeRef<Map<String, List<Parcel>>> goods = new TypeRef<>() {};

    assertThat(app.types().find("deliveries").orElseThrow().input()).isEqualTo(goods.type());
    assertThat(app.types().of(Parcel[].class).name()).isEqualTo("returns");
    assertThat(app.types().find("by-name").orElseThrow().input()).isEqualTo(goods.type());
  }

  @Test
  void methodsOfConfigurationClassesMayBeFinal() {
    assertThat(app.resultOf("final")).isEqualTo("\"final\"");
  }

  @Test
  void annotationsOfInterfacesApply() {
    assertThat(app.result(app.enqueue("interface", Map.of("tenant", "acme"))))
        .isEqualTo("\"for acme\"");
  }

  @Test
  void lazyBeansAreCreatedByTheirFirstTask() {
    assertThat(Expensive.CREATED).hasValue(0);
    assertThat(app.resultOf("lazy")).isEqualTo("\"lazy\"");
    assertThat(Expensive.CREATED).hasValue(1);
  }

  @Test
  void prototypesAreCreatedByEachTask() {
    assertThat(app.resultOf("prototype")).isEqualTo("1");
    assertThat(app.resultOf("prototype")).isEqualTo("1");
    assertThat(app.resultOf("scoped-proxy")).isEqualTo("1");
    assertThat(app.resultOf("scoped-proxy")).isEqualTo("1");
  }

  @Test
  void beansOfTypeHandlerHandleTasks() {
    TaskInfo task =
        app.bean(TaskClient.class)
            .enqueue(app.types().of("handler-bean", Image.class), new Image("cat"))
            .orThrow();

    assertThat(app.result(task)).isEqualTo("\"handled cat\"");
    assertThat(app.result(app.enqueue(new Mention("ada")))).isEqualTo("\"noted ada\"");
    assertThat(app.resultOf("raw:anything")).isEqualTo("\"raw:anything\"");
    assertThat(app.resultOf("mux:anything")).isEqualTo("\"by mux\"");
  }

  @Test
  void beansOfTypeTaskTypeDefinePayloadAndOptions() {
    assertThat(app.result(app.enqueue(42L))).isEqualTo("\"number 42\"");
  }

  static class Producer {

    final TaskType<WelcomeEmail> welcome;
    final ResultTaskType<Image, Thumbnail> resize;
    final TaskType<List<Order1>> orders;
    final TaskType<Long> number;
    final TaskType<?> byName;

    Producer(
        TaskType<WelcomeEmail> welcome,
        ResultTaskType<Image, Thumbnail> resize,
        TaskType<List<Order1>> orders,
        TaskType<Long> number,
        @Qualifier("generic") TaskType<?> byName) {
      this.welcome = welcome;
      this.resize = resize;
      this.orders = orders;
      this.number = number;
      this.byName = byName;
    }
  }

  @Test
  void taskTypesAreInjectedByPayloadOrByName() {
    Producer producer = app.bean(Producer.class);

    assertThat(producer.welcome).isEqualTo(app.types().of(WelcomeEmail.class));
    assertThat(producer.resize.result()).isEqualTo(Thumbnail.class);
    assertThat(producer.orders.name()).isEqualTo("orders");
    assertThat(producer.number).isSameAs(app.context().getBean("numberType"));
    assertThat(producer.byName.name()).isEqualTo("generic");
  }

  @Test
  void aTypeThatIsNotFoundIsReportedWithTheTypesThatExist() {
    TaskTypes types = app.types();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> types.of(Integer.class))
        .withMessageStartingWith(
            "no task type has input java.lang.Integer; the types are \"action-bean\" (")
        .withMessageEndingWith(": add a handler or a bean of type TaskType");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> types.of(Image.class))
        .withMessage(
            "2 task types have input %1$s: \"handler-bean\" (%1$s), \"image:resize\" (%1$s); name one with of(name, input)",
            Image.class.getName());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> types.of("image:resized", Image.class))
        .withMessageStartingWith("no task type has the name \"image:resized\"; the types are ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> types.of("number", String.class))
        .withMessage(
            "the task type \"number\" has input java.lang.Long, not java.lang.String: ask for its input");
    assertThat(types.find("image:resized")).isEmpty();
    assertThat(types.all()).hasSizeGreaterThan(15);
  }

  @Test
  void middlewareSurroundsHandlersInOrder() {
    assertThat(app.resultOf("layers")).isEqualTo("\"layers inner outer\"");
  }

  @Test
  void handlersRunWithTheClassLoaderOfTheContext() {
    assertThat(app.resultOf("loader")).isEqualTo("true");
  }
}
