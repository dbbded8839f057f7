package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica as a separate process that receives signals. */
class ServiceProcessIT {

  /** Runs it for a test. */
  static final class ServiceMain {
    private ServiceMain() {}

    public static void main(String[] arguments) throws InterruptedException {
      ServiceProcess.run(
          Path.of(arguments[0]),
          System.getenv(),
          service -> System.out.println("listening on " + service.uri()));
    }
  }

  private static final Pattern LISTENING = Pattern.compile("listening on http://127.0.0.1:(\\d+)/");

  @TempDir private Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void hupReadsTheFileAgainAndTermDrains() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
        RedisConnection redis = RedisConnection.open(server.uri())) {
      Path file = directory.resolve("asynq.yaml");
      String head = "redis: { url: \"%s\" }\nlisten: { port: 0 }\n".formatted(server.uri());
      String slow =
          head
              + "tasks:\n"
              + "  slow: { kind: cmd, retention: 1h, cmd: { program: /bin/sh, args: [-c, 'sleep 2;"
              + " echo done'] } }\n";
      Files.writeString(file, slow);
      Path output = directory.resolve("out");
      Process process = startProcess(file, output);
      try {
        await().until(() -> LISTENING.matcher(Files.readString(output)).find());
        Matcher listening = LISTENING.matcher(Files.readString(output));
        assertThat(listening.find()).isTrue();
        String url = "http://127.0.0.1:" + listening.group(1);
        TaskDefinitions definitions = TaskDefinitions.of(redis);
        assertThat(definitions.all()).containsOnlyKeys("slow");

        Files.writeString(file, slow + "  more: { kind: worker, maxRun: 2 }\n");
        signal(process, "HUP");
        await().until(() -> definitions.all().containsKey("more"));
        Files.writeString(file, slow + "  broken: { kind: nothing }\n");
        signal(process, "HUP");
        await().until(() -> Files.readString(output).contains("stays in use"));
        assertThat(definitions.all()).containsOnlyKeys("slow", "more");

        assertThat(post(url + "/v1/tasks", "{\"name\":\"slow\",\"id\":\"1\"}").statusCode())
            .isEqualTo(201);
        assertThat(
                post(url + "/v1/tasks", "{\"name\":\"slow\",\"id\":\"2\",\"in\":\"1h\"}")
                    .statusCode())
            .isEqualTo(201);
        Inspector inspector = Inspector.create(redis);
        await().until(() -> inspector.queue("slow").task("1").state() == TaskState.ACTIVE);
        CompletableFuture<HttpResponse<String>> waiting =
            postAsync(url + "/v1/lease", "{\"names\":[\"more\"],\"wait\":\"30s\"}");
        CompletableFuture<HttpResponse<String>> result =
            http.sendAsync(
                HttpRequest.newBuilder(URI.create(url + "/v1/tasks/2?wait=30s")).build(),
                BodyHandlers.ofString());
        Thread.sleep(500); // nothing shows from outside that a request waits
        signal(process, "TERM");
        // Waiting requests are answered, and running tasks finish.
        assertThat(waiting.get(10, TimeUnit.SECONDS).body()).isEqualTo("{\"tasks\":[]}");
        assertThat(result.get(10, TimeUnit.SECONDS).body()).contains("\"state\":\"scheduled\"");
        assertThat(status(url + "/readyz")).isIn(503, 0);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(inspector.queue("slow").task("1").state()).isEqualTo(TaskState.COMPLETED);
        assertThat(inspector.queue("slow").task("1").result().utf8()).isEqualTo("done\n");
        assertThat(process.exitValue()).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  static Process startProcess(Path file, Path output) throws IOException {
    return new ProcessBuilder(
            // The parent process may ignore the signal, as nohup does, and a JVM inherits that.
            "env",
            "--default-signal=HUP",
            ProcessHandle.current().info().command().orElseThrow(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            ServiceMain.class.getName(),
            file.toString())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private HttpResponse<String> post(String url, String json) throws Exception {
    return postAsync(url, json).get(10, TimeUnit.SECONDS);
  }

  private CompletableFuture<HttpResponse<String>> postAsync(String url, String json) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build();
    return http.sendAsync(request, BodyHandlers.ofString());
  }

  /** 0 when the port is closed. */
  private int status(String url) throws Exception {
    try {
      return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
          .statusCode();
    } catch (ConnectException e) {
      return 0;
    }
  }
}
