package io.asynq4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.asynq4j.benchmarks.compare.Contender;
import io.asynq4j.benchmarks.compare.ContenderCommandLoop;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/** JobRunr on PostgreSQL in the comparison; a queue is a schema. */
public final class JobRunrContender implements Contender {

  /** Smallest interval that it allows on a database; the default is 15 s. */
  private static final Duration POLL = Duration.ofSeconds(5);

  private final String uri;
  private final JacksonJsonMapper json = new JacksonJsonMapper();
  private final Map<String, Store> stores = new ConcurrentHashMap<>();
  private volatile Consumer<String> handler = text -> {};
  private BackgroundJobServer server;

  private record Store(
      HikariDataSource database, StorageProvider storage, JobRequestScheduler scheduler) {}

  /** A job. */
  public static final class TextRequest implements JobRequest {
    private String text = "";

    /** For JSON deserialization. */
    public TextRequest() {}

    TextRequest(String text) {
      this.text = text;
    }

    public String getText() {
      return text;
    }

    public void setText(String text) {
      this.text = text;
    }

    @Override
    public Class<TextHandler> getJobRequestHandler() {
      return TextHandler.class;
    }
  }

  /** Passes the text to the handler. */
  public static final class TextHandler implements JobRequestHandler<TextRequest> {
    private final Consumer<String> handler;

    TextHandler(Consumer<String> handler) {
      this.handler = handler;
    }

    @Override
    public void run(TextRequest request) {
      handler.accept(request.getText());
    }
  }

  private JobRunrContender(String uri) {
    this.uri = uri;
  }

  public static void main(String[] arguments) throws Exception {
    ContenderCommandLoop.run(new JobRunrContender(arguments[0]));
  }

  @Override
  public String description() {
    return ("JobRunr %s; as many workers as the concurrency, polls every %d s (the least allowed),"
            + " enqueues streams for many, Jackson, %d connections")
        .formatted(
            BackgroundJobServer.class.getPackage().getImplementationVersion(),
            POLL.toSeconds(),
            PostgresPools.CONNECTIONS);
  }

  private Store store(String queue) {
    return stores.computeIfAbsent(
        queue,
        name -> {
          // With several schemas in one database it confuses their tables.
          HikariDataSource database = PostgresPools.open(uri, name);
          StorageProvider storage = SqlStorageProviderFactory.using(database);
          storage.setJobMapper(new JobMapper(json));
          return new Store(database, storage, new JobRequestScheduler(storage));
        });
  }

  @Override
  public void start(String queue, int concurrency, Consumer<String> newHandler) {
    handler = newHandler;
    TextHandler textHandler = new TextHandler(text -> handler.accept(text));
    JobActivator activator =
        new JobActivator() {
          @Override
          public <T> T activateJob(Class<T> type) {
            return type.cast(textHandler);
          }
        };
    server =
        new BackgroundJobServer(
            store(queue).storage(),
            json,
            activator,
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(concurrency)
                .andPollInterval(POLL)
                .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1)));
    server.start();
  }

  @Override
  public void stop() {
    if (server != null) {
      server.stop();
      server = null;
    }
  }

  @Override
  public void enqueue(String queue, String text) {
    store(queue).scheduler().enqueue(new TextRequest(text));
  }

  @Override
  public void enqueueAll(String queue, List<String> texts) {
    store(queue).scheduler().enqueue(texts.stream().map(TextRequest::new));
  }

  @Override
  public void schedule(String queue, String text, Instant due, boolean precise) {
    store(queue).scheduler().schedule(due, new TextRequest(text));
  }

  /** Succeeded jobs stay for a while; no setting deletes them at once. */
  @Override
  public long left(String queue) {
    StorageProvider storage = store(queue).storage();
    return storage.countJobs(StateName.ENQUEUED) + storage.countJobs(StateName.PROCESSING);
  }

  @Override
  public void clear() {
    for (Store store : stores.values()) {
      try {
        PostgresPools.execute(store.database(), "truncate jobrunr_jobs");
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    stop();
    stores.values().forEach(store -> store.database().close());
  }
}
