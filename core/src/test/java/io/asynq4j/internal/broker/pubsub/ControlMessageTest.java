package io.asynq4j.internal.broker.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlMessageTest {

  static Stream<ControlMessage> orders() {
    return Stream.of(
        new ControlMessage.Quiet("a-b-c"),
        new ControlMessage.Stop("host:1:x"),
        new ControlMessage.Cancel(QueueName.of("a:b ü"), "id:with:colons", AfterCancel.ARCHIVE),
        new ControlMessage.Cancel(QueueName.of("q"), "x", AfterCancel.DELETE));
  }

  @ParameterizedTest
  @MethodSource("orders")
  void anOrderIsUnderstoodAsItWasGiven(ControlMessage order) {
    assertThat(ControlMessage.parse(order.text())).contains(order);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "quiet:a",
        "asynq4j:",
        "asynq4j:dance:a",
        "asynq4j:cancel:archive",
        "asynq4j:cancel:keep:cQ:a",
        "asynq4j:cancel:archive:?:a",
        "asynq4j:cancel:archive::a"
      })
  void anythingElseIsTheIdOfATask(String text) {
    assertThat(ControlMessage.parse(text)).isEmpty();
  }
}
