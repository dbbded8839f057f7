package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.ConfigurationException;
import io.asynq4j.service.ServiceConfig;
import io.asynq4j.service.TaskService;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The gateway within the service. */
class GearmanServiceIT {

  private static final String TASKS =
      """
      listen: { port: 0 }
      gearman: { port: 0, drainTimeout: 100ms }
      tasks:
        work: { kind: worker, retention: 1h, callbacks: { success: { task: follow } } }
        follow: { kind: worker }
        echo: { kind: cmd, cmd: { program: /bin/cat } }
        strict:
          kind: worker
          params: { type: object, required: [n] }
      """;

  private EmbeddedRedis server;
  private RedisConnection redis;
  private Inspector inspector;

  @BeforeEach
  void start() {
    server = EmbeddedRedis.builder().ephemeral().start();
    redis = RedisConnection.open(server.uri());
    inspector = Inspector.create(redis);
  }

  @AfterEach
  void stop() {
    redis.close();
    server.close();
  }

  private ServiceConfig config(String yaml) {
    return ServiceConfig.parse(
        "test.yaml", "redis: { url: \"" + server.uri() + "\" }\n" + yaml, Map.of());
  }

  @Test
  void requestsAndGearmanMeet() throws Exception {
    try (TaskService service = TaskService.start(config(TASKS));
        RawPeer client = new RawPeer(service.gearmanPort().orElseThrow());
        RawPeer worker = new RawPeer(service.gearmanPort().orElseThrow())) {
      worker.send(PacketType.CAN_DO, "work").sleep();
      String job17 = "{\"name\":\"work\",\"id\":\"17\",\"params\":{\"x\":1}}";
      assertThat(submit(service, job17).statusCode()).isEqualTo(201);
      worker.expect(PacketType.NOOP);
      List<String> job = worker.work();
      assertThat(job.get(2)).isEqualTo("{\"x\":1}");
      worker.send(PacketType.WORK_COMPLETE, job.get(0), "done");
      await()
          .untilAsserted(
              () ->
                  assertThat(inspector.queue("work").task("17").result().utf8()).isEqualTo("done"));

      // The service executes the task that a gearman client waits for.
      String handle = client.submit(PacketType.SUBMIT_JOB, "echo", "", "{\"a\":2}");
      RawPeer.Reply reply = client.next();
      while (reply.command() == PacketType.WORK_STATUS) {
        reply = client.next();
      }
      assertThat(reply)
          .isEqualTo(new RawPeer.Reply(PacketType.WORK_COMPLETE, List.of(handle, "{\"a\":2}")));

      assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "strict", "", "{}"))
          .satisfies(error -> assertThat(error.get(0)).isEqualTo("JOB_REFUSED"))
          .satisfies(error -> assertThat(error.get(1)).contains("n"));
      assertThat(
              client
                  .ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "strict", "", "no json")
                  .get(0))
          .isEqualTo("JOB_REFUSED");
      client.submit(PacketType.SUBMIT_JOB_BG, "strict", "", "{\"n\":1}");
    }
    assertThat(inspector.queue("follow").tasks(TaskState.PENDING, PageRequest.first(10)).tasks())
        .singleElement()
        .extracting(TaskInfo::payload)
        .satisfies(payload -> assertThat(payload.utf8()).contains("\"success\"", "\"17\""));
  }

  private static HttpResponse<String> submit(TaskService service, String json) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(service.uri() + "v1/tasks"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void requestsAndGearmanShareTheLimitOfPendingTasks() throws Exception {
    String tasks =
        """
        listen: { port: 0 }
        gearman: { port: 0, drainTimeout: 100ms }
        tasks: { few: { kind: worker, maxPending: 2 }, any: { kind: worker, maxPending: 2 } }
        """;
    try (TaskService service = TaskService.start(config(tasks));
        RawPeer client = new RawPeer(service.gearmanPort().orElseThrow())) {
      // Loads the classes: the size of a queue is kept for a short time only.
      client.submit(PacketType.SUBMIT_JOB_BG, "any", "", "{}");
      submit(service, "{\"name\":\"any\"}");

      client.submit(PacketType.SUBMIT_JOB_BG, "few", "", "{}");
      assertThat(submit(service, "{\"name\":\"few\"}").statusCode()).isEqualTo(201);
      assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "few", "", "{}").get(0))
          .isEqualTo("JOB_QUEUE_FULL");
    }
    assertThat(inspector.queue("few").snapshot().size(TaskState.PENDING)).isEqualTo(2);
  }

  @Test
  void anOpenDoorIsRefusedByTheFile() {
    assertThatThrownBy(() -> config("gearman: { host: 0.0.0.0 }\n"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("gearman.host")
        .hasMessageContaining("neither passwords nor encryption");
    assertThatThrownBy(() -> config("gearman: { prot: 4730 }\n")).hasMessageContaining("prot");
  }
}
