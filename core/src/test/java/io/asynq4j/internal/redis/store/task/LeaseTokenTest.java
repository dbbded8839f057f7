package io.asynq4j.internal.redis.store.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTokenTest {

  /** How far the state of a thread's generator of {@code java.util} moves with each value. */
  private final long step = 0x9e3779b97f4a7c15L + (Thread.currentThread().getId() << 1);

  private static final long FIRST_FACTOR = 0xff51afd7ed558ccdL;
  private static final long SECOND_FACTOR = 0xc4ceb9fe1a85ec53L;

  @Test
  void aTokenHasSixDigitsThatAreNotAllZeroAndASecret() {
    Set<String> tokens = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      String token = LeaseToken.next(Instant.EPOCH);
      assertThat(token).matches("\\d{6}-[0-9a-z]{13}0{9}").doesNotStartWith("000000");
      assertThat(LeaseToken.orNone(token)).isEqualTo(token);
      tokens.add(token);
    }
    assertThat(tokens).hasSize(10_000);
  }

  @Test
  void aTokenCannotBeDerivedFromThePreviousOne() {
    List<Long> secrets =
        Stream.generate(() -> LeaseToken.next(Instant.EPOCH))
            .limit(20)
            .map(token -> Long.parseLong(token.substring(7, 20), 36))
            .toList();

    for (int i = 1; i < secrets.size(); i++) {
      assertThat(nextOfGeneratorAfter(secrets.get(i - 1))).doesNotContain(secrets.get(i));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1970-01-01T00:00:00Z", "2026-11-17T12:00:00.123Z", "5000-01-01T00:00:00Z"})
  void aTokenContainsItsCreationTime(String time) {
    Instant made = Instant.parse(time);
    for (int i = 0; i < 1_000; i++) {
      String token = LeaseToken.next(made);
      assertThat(LeaseToken.timeOf(token)).contains(made);
      assertThat(LeaseToken.orNone(token)).isEqualTo(token);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"123456-1y2p0ij32e8e7", "123456-a", "000000-", "", "x"})
  void tokensOfEarlierVersionsDoNotSayIt(String token) {
    assertThat(LeaseToken.timeOf(token)).isEmpty();
  }

  /** A token costs two values, and the lowest bit of the second is not shown. */
  private List<Long> nextOfGeneratorAfter(long secret) {
    return Stream.of(secret << 1, secret << 1 | 1)
        .map(value -> mixed(unmixed(value) + 2 * step) >>> 1)
        .toList();
  }

  private static long mixed(long state) {
    long once = (state ^ (state >>> 33)) * FIRST_FACTOR;
    long twice = (once ^ (once >>> 33)) * SECOND_FACTOR;
    return twice ^ (twice >>> 33);
  }

  private static long unmixed(long value) {
    long twice = (value ^ (value >>> 33)) * inverse(SECOND_FACTOR);
    long once = (twice ^ (twice >>> 33)) * inverse(FIRST_FACTOR);
    return once ^ (once >>> 33);
  }

  private static long inverse(long factor) {
    return BigInteger.valueOf(factor).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();
  }
}
