package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The pages on a cluster: queues of all nodes, and the node of each. */
class PageClusterIT {

  private static final int WIDE = 1_440;

  @RegisterExtension static final Browser browser = new Browser();

  @Test
  void queuesOfAllNodesAreShownWithTheirSlot() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start();
        RedisConnection redis = RedisConnection.open(cluster.uri());
        TaskClient client = TaskClient.create(redis);
        Dashboard dashboard =
            Dashboard.builder(redis).port(0).refresh(Duration.ofMillis(100)).start()) {
      for (String queue : List.of("one", "two", "three", "four", "five", "six")) {
        client.enqueue(Task.of("t"), o -> o.queue(queue)).orThrow();
      }
      browser.fresh(WIDE, false);
      browser.open(dashboard, "/queues");
      browser.seeText("three");
      assertThat(browser.text("main")).contains("one", "two", "four", "five", "six");

      browser.go("/redis");
      browser.seeText("Queues by cluster slot");
      assertThat(browser.text(".stats")).contains("cluster");
      assertThat(
              browser.run(
                  "return [...document.querySelectorAll('main table tbody tr')].map(r =>"
                      + " r.cells[2].innerText.split(',')[0]).sort().join()"))
          .asString()
          .contains(cluster.nodes().stream().map(node -> ":" + node.port()).toList());
      browser.picture("1440-light-redis-cluster");
      assertThat(browser.problems()).isEmpty();
    }
  }
}
