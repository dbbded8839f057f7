package io.asynq4j.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.internal.redis.script.Script;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ExpiringKeysTest {

  private static final Pattern EXPIRING =
      Pattern.compile(
          "'(P?EXPIRE\\w*|P?SETEX|GETEX|HEXPIRE\\w*|PERSIST|RESTORE|RENAME\\w*)'|'(P?X|EXAT|PXAT|EX|KEEPTTL)'");

  /**
   * The commands and options by which the scripts let keys expire: the prefix knows all of them.
   */
  @Test
  void thePrefixKnowsAllCommandsOfTheScriptsThatLetKeysExpire() {
    Set<String> used = new TreeSet<>();
    for (Script script : Script.values()) {
      Matcher matcher = EXPIRING.matcher(new String(script.source(), StandardCharsets.UTF_8));
      while (matcher.find()) {
        used.add(matcher.group());
      }
    }

    assertThat(used).containsExactly("'EX'", "'EXPIRE'", "'EXPIREAT'", "'RENAME'");
  }
}
