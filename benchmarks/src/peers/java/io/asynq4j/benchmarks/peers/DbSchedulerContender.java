package io.asynq4j.benchmarks.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.asynq4j.benchmarks.compare.Contender;
import io.asynq4j.benchmarks.compare.ContenderCommandLoop;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** db-scheduler in the comparison; a queue is a table. */
public final class DbSchedulerContender implements Contender {

  private static final Duration POLL = Duration.ofSeconds(1);

  private final HikariDataSource database;
  private final Set<String> tables = ConcurrentHashMap.newKeySet();
  private final Map<String, SchedulerClient> clients = new ConcurrentHashMap<>();
  private volatile Consumer<String> handler = text -> {};
  private final OneTimeTask<String> task =
      Tasks.oneTime("bench", String.class)
          .execute((instance, context) -> handler.accept(instance.getData()));
  private Scheduler scheduler;
  private String served = "";

  private DbSchedulerContender(String uri) {
    this.database = PostgresPools.open(uri, PostgresPools.FIRST);
  }

  public static void main(String[] arguments) throws Exception {
    ContenderCommandLoop.run(new DbSchedulerContender(arguments[0]));
  }

  @Override
  public String description() {
    return ("db-scheduler %s; pollUsingLockAndFetch(1.0, 4.0), immediate execution, polls every %d s,"
            + " scheduleBatch for many, %d connections")
        .formatted(version(), POLL.toSeconds(), PostgresPools.CONNECTIONS);
  }

  /** Its manifest has no version. */
  private static String version() {
    Properties built = new Properties();
    try (InputStream in =
        Scheduler.class.getResourceAsStream(
            "/META-INF/maven/com.github.kagkarlsson/db-scheduler/pom.properties")) {
      if (in != null) {
        built.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return built.getProperty("version", "of an unknown version");
  }

  private void prepare(String table) {
    if (tables.add(table)) {
      execute(
          """
          create table if not exists %1$s (
            task_name text not null,
            task_instance text not null,
            task_data bytea,
            execution_time timestamp with time zone not null,
            picked boolean not null,
            picked_by text,
            last_success timestamp with time zone,
            last_failure timestamp with time zone,
            consecutive_failures int,
            last_heartbeat timestamp with time zone,
            version bigint not null,
            priority smallint,
            state text,
            primary key (task_name, task_instance));
          create index if not exists %1$s_execution_time on %1$s (execution_time);
          create index if not exists %1$s_last_heartbeat on %1$s (last_heartbeat);
          """
              .formatted(table));
    }
  }

  private void execute(String sql) {
    try {
      PostgresPools.execute(database, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void start(String queue, int concurrency, Consumer<String> newHandler) {
    prepare(queue);
    handler = newHandler;
    scheduler =
        Scheduler.create(database, task)
            .tableName(queue)
            .threads(concurrency)
            .pollUsingLockAndFetch(1.0, 4.0)
            .pollingInterval(POLL)
            .enableImmediateExecution()
            .shutdownMaxWait(Duration.ofSeconds(5))
            .build();
    served = queue;
    scheduler.start();
  }

  @Override
  public void stop() {
    if (scheduler != null) {
      scheduler.stop();
      scheduler = null;
      served = "";
    }
  }

  /** Immediate execution works only for the scheduler that also executes the task. */
  private SchedulerClient client(String queue) {
    if (scheduler != null && served.equals(queue)) {
      return scheduler;
    }
    return clients.computeIfAbsent(
        queue,
        name -> {
          prepare(name);
          return SchedulerClient.Builder.create(database, task).tableName(name).build();
        });
  }

  private TaskInstance<String> instance(String text) {
    return task.instance(UUID.randomUUID().toString(), text);
  }

  @Override
  public void enqueue(String queue, String text) {
    client(queue).schedule(instance(text), Instant.now());
  }

  @Override
  public void enqueueAll(String queue, List<String> texts) {
    List<TaskInstance<?>> instances = texts.stream().<TaskInstance<?>>map(this::instance).toList();
    client(queue).scheduleBatch(instances, Instant.now());
  }

  @Override
  public void schedule(String queue, String text, Instant due, boolean precise) {
    client(queue).schedule(instance(text), due);
  }

  @Override
  public long left(String queue) {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select count(*) from " + queue)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void clear() {
    tables.forEach(table -> execute("truncate " + table));
  }

  @Override
  public void close() {
    stop();
    database.close();
  }
}
