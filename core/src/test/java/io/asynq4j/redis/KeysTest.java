package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.LocalDate;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The vectors of protocol sections 7.2 and 7.3. */
class KeysTest {

  private static final QueueName DEFAULT = QueueName.of("default");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          default  | email:send | {"user_id":42}                  | asynq:{default}:unique:email:send:1181f89307fa271072c095747d5813cc
          default  | email      | {"user_id":123}                 | asynq:{default}:unique:email:f7218ed06954e3dc6750e967d4be68e4
          default  | email:send | {"a":123,"b":"hello","c":true}  | asynq:{default}:unique:email:send:982042a884f9da3399da89ebbd90bc07
          low      | a:b:c      | héllo                           | asynq:{low}:unique:a:b:c:be50e8478cf24ff3595bc7307fb91b50
          """)
  void aLockIsNamedByQueueTypeAndPayload(String queue, String type, String payload, String key) {
    assertThat(Keys.unique(QueueName.of(queue), type, Payload.ofUtf8(payload))).isEqualTo(key);
  }

  @Test
  void theLockOfABinaryPayloadIsNamedByItsBytes() {
    Payload payload = Payload.of(HexFormat.of().parseHex("0001ff"));

    assertThat(Keys.unique(QueueName.of("critical"), "img:resize", payload))
        .isEqualTo("asynq:{critical}:unique:img:resize:ffbb8cd5a232b7d906904533e9609f48");
  }

  @Test
  void anAbsentPayloadGivesALockNameThatEndsWithTheColon() {
    assertThat(Keys.unique(DEFAULT, "reindex", Payload.absent()))
        .isEqualTo("asynq:{default}:unique:reindex:");
  }

  @Test
  void anEmptyPayloadGivesTheHashOfNoBytes() {
    assertThat(Keys.unique(DEFAULT, "reindex", Payload.of(new byte[0])))
        .isEqualTo("asynq:{default}:unique:reindex:d41d8cd98f00b204e9800998ecf8427e");
  }

  @Test
  void hashesThatBeginWithZeroesKeepThem() {
    // The MD5 of "jk8ssl" begins with 0000.
    assertThat(Keys.unique(DEFAULT, "t", Payload.ofUtf8("jk8ssl")))
        .isEqualTo("asynq:{default}:unique:t:0000000018e6137ac2caab16074784a6");
  }

  @Test
  void keysAreNamedAsTheProtocolSays() {
    assertThat(Keys.task(DEFAULT, "abc")).isEqualTo("asynq:{default}:t:abc");
    assertThat(Keys.group(DEFAULT, "sms:user1")).isEqualTo("asynq:{default}:g:sms:user1");
    assertThat(Keys.aggregationSet(DEFAULT, "sms:user1", "12345"))
        .isEqualTo("asynq:{default}:g:sms:user1:12345");
    assertThat(Keys.of(DEFAULT, "pending")).isEqualTo("asynq:{default}:pending");
    assertThat(Keys.server("localhost", 9876, "server123"))
        .isEqualTo("asynq:servers:{localhost:9876:server123}");
    assertThat(Keys.workers("localhost", 9876, "server123"))
        .isEqualTo("asynq:workers:{localhost:9876:server123}");
    assertThat(Keys.scheduler("localhost:9876:scheduler123"))
        .isEqualTo("asynq:schedulers:{localhost:9876:scheduler123}");
    assertThat(Keys.schedulerHistory("entry876")).isEqualTo("asynq:scheduler_history:entry876");
    assertThat(Keys.semaphore("scope")).isEqualTo("asynq:sema:scope");
    assertThat(Keys.CANCEL_CHANNEL).isEqualTo("asynq:cancel");
    assertThat(Keys.channel("me")).isEqualTo("asynq:channel:me");
  }

  @Test
  void countersOfADayAreNamedByItsDate() {
    assertThat(Keys.processedOn(DEFAULT, LocalDate.of(2023, 12, 31)))
        .isEqualTo("asynq:{default}:processed:2023-12-31");
    assertThat(Keys.failedOn(DEFAULT, LocalDate.of(2024, 1, 1)))
        .isEqualTo("asynq:{default}:failed:2024-01-01");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      textBlock =
          """
          asynq:{default}:pending,      5718
          asynq:{default}:t:abc,        5718
          asynq:{critical}:pending,     8090
          asynq:{low}:active,           15214
          asynq:{dump_feature}:pending, 8726
          asynq:queues,                 3477
          asynq:servers,                15197
          asynq:workers,                7864
          asynq:schedulers,             4669
          asynq:{}x}:pending,           9204
          123456789,                    12739
          """)
  void aKeyBelongsToTheSlotThatRedisSays(String key, int slot) {
    assertThat(Keys.slot(key)).isEqualTo(slot);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      textBlock =
          """
          a}b
          {x
          очередь
          a:b
          """)
  void allKeysOfAQueueShareOneSlotWhateverItsName(String name) {
    QueueName queue = QueueName.of(name);
    int slot = Keys.slot(Keys.prefix(queue));

    assertThat(Keys.slot(Keys.of(queue, "pending"))).isEqualTo(slot);
    assertThat(Keys.slot(Keys.task(queue, "{id}"))).isEqualTo(slot);
    assertThat(Keys.slot(Keys.group(queue, "g}:{h"))).isEqualTo(slot);
    assertThat(Keys.slot(Keys.unique(queue, "t{u}", Payload.absent()))).isEqualTo(slot);
  }

  @Test
  void theKeysOfAServerAndOfItsWorkersShareOneSlot() {
    assertThat(Keys.slot(Keys.workers("h", 1, "s"))).isEqualTo(Keys.slot(Keys.server("h", 1, "s")));
  }
}
