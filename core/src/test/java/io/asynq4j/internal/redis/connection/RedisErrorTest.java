package io.asynq4j.internal.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerRefusedException.Reason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisDataException;

class RedisErrorTest {

  private static Reason reason(String text) {
    JedisDataException error = new JedisDataException(text);
    return RedisError.of(error).reason(error);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "WRONGTYPE Operation against a key holding the wrong kind of value script: 9c, on @user_script:2.",
        "ERR Protocol error: invalid bulk length",
        "ERR user_script:63: attempt to compare nil with number script: b2, on @user_script:63.",
        "ERR Error running script (call to f_1): @user_script:1: user_script:1: attempt to index"
      })
  void whatIsWrongWithTheRequestStaysWrong(String text) {
    assertThat(reason(text)).isEqualTo(Reason.REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OOM command not allowed when used memory > 'maxmemory'. script: 2a, on @user_script:76.",
        "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed",
        "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to",
        "NOPERM this user has no permissions to run the 'evalsha' command",
        "ERR The user executing the script can't run this command or subcommand script: 2a",
        "NOAUTH Authentication required.",
        "upstream failure",
        "ERR unknown"
      })
  void whatIsWrongWithTheServerMayPass(String text) {
    assertThat(reason(text)).isEqualTo(Reason.SERVER);
  }
}
