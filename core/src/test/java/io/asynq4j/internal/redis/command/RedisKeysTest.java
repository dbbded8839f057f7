package io.asynq4j.internal.redis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.LocalDate;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Key names are those that Go computes for the same queue, type and payload. */
class RedisKeysTest {

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
    assertThat(RedisKeys.unique(QueueName.of(queue), type, Payload.ofUtf8(payload))).isEqualTo(key);
  }

  @Test
  void theLockOfABinaryPayloadIsNamedByItsBytes() {
    Payload payload = Payload.of(HexFormat.of().parseHex("0001ff"));

    assertThat(RedisKeys.unique(QueueName.of("critical"), "img:resize", payload))
        .isEqualTo("asynq:{critical}:unique:img:resize:ffbb8cd5a232b7d906904533e9609f48");
  }

  @Test
  void anAbsentPayloadGivesALockNameThatEndsWithTheColon() {
    assertThat(RedisKeys.unique(DEFAULT, "reindex", Payload.absent()))
        .isEqualTo("asynq:{default}:unique:reindex:");
  }

  @Test
  void anEmptyPayloadGivesTheHashOfNoBytes() {
    assertThat(RedisKeys.unique(DEFAULT, "reindex", Payload.of(new byte[0])))
        .isEqualTo("asynq:{default}:unique:reindex:d41d8cd98f00b204e9800998ecf8427e");
  }

  @Test
  void hashesThatBeginWithZeroesKeepThem() {
    // The MD5 of "jk8ssl" begins with 0000.
    assertThat(RedisKeys.unique(DEFAULT, "t", Payload.ofUtf8("jk8ssl")))
        .isEqualTo("asynq:{default}:unique:t:0000000018e6137ac2caab16074784a6");
  }

  @Test
  void keysAreNamedAsInTheProtocol() {
    assertThat(RedisKeys.task(DEFAULT, "abc")).isEqualTo("asynq:{default}:t:abc");
    assertThat(RedisKeys.group(DEFAULT, "sms:user1")).isEqualTo("asynq:{default}:g:sms:user1");
    assertThat(RedisKeys.aggregationSet(DEFAULT, "sms:user1", "12345"))
        .isEqualTo("asynq:{default}:g:sms:user1:12345");
    assertThat(RedisKeys.of(DEFAULT, "pending")).isEqualTo("asynq:{default}:pending");
    assertThat(RedisKeys.server("localhost", 9876, "server123"))
        .isEqualTo("asynq:servers:{localhost:9876:server123}");
    assertThat(RedisKeys.workers("localhost", 9876, "server123"))
        .isEqualTo("asynq:workers:{localhost:9876:server123}");
    assertThat(RedisKeys.scheduler("localhost:9876:scheduler123"))
        .isEqualTo("asynq:schedulers:{localhost:9876:scheduler123}");
    assertThat(RedisKeys.schedulerHistory("entry876"))
        .isEqualTo("asynq:scheduler_history:entry876");
    assertThat(RedisKeys.semaphore("scope")).isEqualTo("asynq:sema:scope");
    assertThat(RedisKeys.CANCEL_CHANNEL).isEqualTo("asynq:cancel");
    assertThat(RedisKeys.channel("me")).isEqualTo("asynq:channel:me");
  }

  @Test
  void countersOfADayAreNamedByItsDate() {
    assertThat(RedisKeys.processedOn(DEFAULT, LocalDate.of(2023, 12, 31)))
        .isEqualTo("asynq:{default}:processed:2023-12-31");
    assertThat(RedisKeys.failedOn(DEFAULT, LocalDate.of(2024, 1, 1)))
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
  void aKeyBelongsToTheSlotThatRedisReports(String key, int slot) {
    assertThat(RedisKeys.slot(key)).isEqualTo(slot);
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
    int slot = RedisKeys.slot(RedisKeys.prefix(queue));

    assertThat(RedisKeys.slot(RedisKeys.of(queue, "pending"))).isEqualTo(slot);
    assertThat(RedisKeys.slot(RedisKeys.task(queue, "{id}"))).isEqualTo(slot);
    assertThat(RedisKeys.slot(RedisKeys.group(queue, "g}:{h"))).isEqualTo(slot);
    assertThat(RedisKeys.slot(RedisKeys.unique(queue, "t{u}", Payload.absent()))).isEqualTo(slot);
  }

  @Test
  void theKeysOfAServerAndOfItsWorkersShareOneSlot() {
    assertThat(RedisKeys.slot(RedisKeys.workers("h", 1, "s")))
        .isEqualTo(RedisKeys.slot(RedisKeys.server("h", 1, "s")));
  }
}
