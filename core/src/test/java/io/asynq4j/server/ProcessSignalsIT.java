package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.fixture.JavaProcess;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Signals that a server handles. */
@DisabledOnOs(OS.WINDOWS)
class ProcessSignalsIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private JavaProcess process;

  @BeforeEach
  void startProcess() throws IOException {
    process = JavaProcess.start(ProcessSignalsMain.class, world.server.uri());
    soon(() -> assertThat(world.broker().presence().seen(broken -> {})).hasSize(1));
  }

  @AfterEach
  void endProcess() {
    process.close();
  }

  private static String status() {
    return world.broker().presence().seen(broken -> {}).get(0).server().status();
  }

  @Test
  void termStopsTheServerAndTheProcessEndsInOrder() throws Exception {
    world.enqueue("a");
    world.awaitGone("a");

    process.signal("TERM");

    assertThat(process.awaitEnd()).isZero();
    assertThat(process.output()).contains("ended in order");
    assertThat(world.broker().presence().seen(broken -> {})).isEmpty();
  }

  @Test
  void fixesW57_tstpQuietsTheServerAndASecondTermEndsItAtOnce() throws Exception {
    world.enqueue("stuck");
    world.awaitState("stuck", TaskState.ACTIVE);

    process.signal("TSTP");
    soon(() -> assertThat(status()).isEqualTo("stopped"));
    world.enqueue("late");
    process.signal("TSTP");
    process.signal("TERM");
    soon(() -> assertThat(status()).isEqualTo("closed"));
    assertThat(process.isAlive()).isTrue();
    process.signal("TERM");

    assertThat(process.awaitEnd()).isEqualTo(130);
    assertThat(world.state("late")).isEqualTo(TaskState.PENDING);
  }
}
