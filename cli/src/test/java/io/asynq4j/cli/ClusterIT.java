package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.redis.RedisConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Commands on a cluster, with each way to configure its addresses. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterIT {

  @TempDir private Path home;
  private final EmbeddedCluster cluster = EmbeddedCluster.start();

  @BeforeAll
  void fill() {
    try (RedisConnection redis = RedisConnection.open(cluster.uri());
        TaskClient client = TaskClient.create(redis)) {
      for (String queue : new String[] {"one", "two", "three"}) {
        client
            .enqueue(EnqueueRequest.of(Task.of("a", Payload.ofUtf8("{}")), o -> o.queue(queue)))
            .orThrow();
      }
    }
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private String addresses() {
    return cluster.nodes().stream()
        .map(node -> node.host() + ":" + node.port())
        .collect(Collectors.joining(","));
  }

  private static void assertShowsTheCluster(Answer stats, Answer list) {
    assertThat(stats.exitCode()).as(stats.err()).isZero();
    assertThat(stats.out())
        .contains("Redis Cluster", "State", "Known nodes", "Cluster size")
        .containsPattern("ok +3 +3 ");
    assertThat(list.exitCode()).as(list.err()).isZero();
    assertThat(list.out()).contains("Slot", "Nodes", "one", "two", "three");
  }

  @Test
  void byUrl() {
    CliRunner cli = new CliRunner(home);
    assertShowsTheCluster(
        cli.run("stats", "--redis", cluster.uri()),
        cli.run("queue", "list", "--redis", cluster.uri()));
    assertThat(cli.run("stats", "--json", "--redis", cluster.uri()).out())
        .contains("\"cluster_state\": \"ok\"");
  }

  @Test
  void byTheFlagsOfTheOriginal() {
    CliRunner cli = new CliRunner(home);
    assertShowsTheCluster(
        cli.run("stats", "--cluster", "--cluster_addrs", addresses()),
        cli.run("queue", "ls", "--cluster", "--cluster_addrs", addresses()));
  }

  /** The original connected to it then, and did not know it. */
  @Test
  void byVariablesOrTheFileAlone() throws Exception {
    CliRunner byVariables =
        new CliRunner(home)
            .variable("ASYNQ_CLUSTER", "true")
            .variable("ASYNQ_CLUSTER_ADDRS", addresses());
    assertShowsTheCluster(byVariables.run("stats"), byVariables.run("queue", "list"));

    Files.writeString(
        home.resolve(".asynq.yaml"), "cluster: true\ncluster_addrs: " + addresses() + "\n");
    CliRunner byFile = new CliRunner(home);
    assertShowsTheCluster(byFile.run("stats"), byFile.run("queue", "list"));
  }

  @Test
  void tasksAreFoundAndMovedFromNodeToNode() {
    CliRunner cli = new CliRunner(home).variable("ASYNQ_REDIS_URL", cluster.uri());
    assertThat(cli.run("task", "enqueue", "-t", "b", "-i", "moving", "-q", "one").exitCode())
        .isZero();
    assertThat(cli.run("task", "move", "moving", "--to", "two").exitCode()).isZero();
    assertThat(cli.run("task", "inspect", "moving").out()).containsPattern("Queue: +two");
    assertThat(
            cli.run("task", "deleteall", "-q", "two", "-s", "pending", "--id", "mov", "-y").out())
        .contains("1 task deleted.");
  }
}
