package io.asynq4j.service.gearman.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.Packets;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Handles, ids, status and settings, without a gateway. */
class JobKeyTest {

  @Test
  void aHandleContainsQueueAndIdAndFitsIntoSixtyFourBytes() {
    JobKey key = new JobKey("a queue with a very long name ".repeat(10), "x".repeat(50));
    assertThat(key.handle().length()).isLessThan(64);
    assertThat(JobKey.tagOf(key.handle())).isEqualTo(JobKey.tag(key.queue()));
    assertThat(JobKey.idOf(key.handle())).isEqualTo(key.id());
    assertThat(new JobKey("q", "user:42").handle()).endsWith(":user:42");
  }

  @Test
  void anUnwieldyIdHasAHandleNevertheless() {
    for (String id : new String[] {"x".repeat(200), "two words", "ü"}) {
      String handle = new JobKey("q", id).handle();
      assertThat(handle.length()).isLessThan(64);
      assertThat(handle).matches("[\\x21-\\x7e]+");
      assertThat(handle).isNotEqualTo(new JobKey("q", id + "!").handle());
    }
  }

  @Test
  void whatIsNoHandleOfOursHasNoTag() {
    assertThat(JobKey.tagOf("H:host:17")).isEmpty();
    assertThat(JobKey.tagOf("nonsense")).isEmpty();
    assertThat(JobKey.tagOf("")).isEmpty();
  }

  @Test
  void whatAClientCallsUniqueIsTheIdWhereItCanBe() {
    assertThat(JobKey.idOfUnique("order-17")).isEqualTo("order-17");
    assertThat(JobKey.idOfUnique("two words")).startsWith("~").hasSize(33);
    assertThat(JobKey.idOfUnique("~looks like a digest")).hasSize(33);
    assertThat(JobKey.idOfUnique("two words")).isNotEqualTo(JobKey.idOfUnique("two  words"));
  }

  @Test
  void statusIsKeptAsProgress() {
    JobStatus status = new JobStatus("3", "12");
    assertThat(status.progress()).isEqualTo(new Progress(25, "3/12"));
    assertThat(JobStatus.of(status.progress())).isEqualTo(status);
    assertThat(JobStatus.of(new Progress(40, "by others"))).isEqualTo(new JobStatus("40", "100"));
    assertThat(new JobStatus("many", "more").progress()).isEqualTo(new Progress(0, ""));
    assertThat(new JobStatus("5", "0").progress()).isEqualTo(new Progress(0, "5/0"));
    assertThat(new JobStatus("9", "3").progress().percent()).isEqualTo(100);
  }

  @Test
  void theNameThatAClientGaveComesBackByteForByte() {
    String odd = new String(new byte[] {(byte) 0xff, 32, 7}, StandardCharsets.ISO_8859_1);
    assertThat(
            JobSubmitter.uniqueOf(JobKey.idOfUnique(odd), Map.of(JobSubmitter.UNIQUE_HEADER, odd)))
        .isEqualTo(Packets.latin(odd));
    assertThat(JobSubmitter.uniqueOf("plain", Map.of())).isEqualTo(Payload.ofUtf8("plain").bytes());
  }

  @Test
  void listensOnLoopbackByDefault() {
    assertThatThrownBy(() -> GearmanConfig.builder().host("0.0.0.0").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("neither passwords nor encryption")
        .hasMessageContaining("allowInsecure");
    assertThat(GearmanConfig.builder().host("0.0.0.0").allowInsecure(true).build().port())
        .isEqualTo(4730);
    assertThat(GearmanConfig.builder().host("localhost").build().host()).isEqualTo("localhost");
  }
}
