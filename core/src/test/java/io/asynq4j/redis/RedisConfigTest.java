package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.RedisConfig.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisConfigTest {

  private static final Endpoint[] SENTINELS = {
    new Endpoint("localhost", 5000),
    new Endpoint("localhost", 5001),
    new Endpoint("localhost", 5002)
  };
  private static final Path SOCKET = Path.of("/var/run/redis/redis.sock");

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("acceptedUris")
  void acceptsTheUrisOfTheOriginal(String number, String uri, RedisConfig.Builder expected) {
    assertThat(RedisConfig.parse(uri)).isEqualTo(expected.build());
  }

  static Stream<Arguments> acceptedUris() {
    return Stream.of(
        arguments("U01", "redis://localhost:6379", standalone("localhost")),
        arguments(
            "U02", "rediss://localhost:6379", standalone("localhost").tls(TlsConfig.defaults())),
        arguments("U03", "redis://localhost:6379/3", standalone("localhost").database(3)),
        arguments("U04", "redis://:pw@localhost:6379", standalone("localhost").password("pw")),
        arguments(
            "U05",
            "redis://:pw@127.0.0.1:6379/11",
            standalone("127.0.0.1").password("pw").database(11)),
        arguments("U06", "redis-socket:///var/run/redis/redis.sock", socket()),
        arguments("U07", "redis-socket://:pw@/var/run/redis/redis.sock", socket().password("pw")),
        arguments("U08", "redis-socket:///var/run/redis/redis.sock?db=7", socket().database(7)),
        arguments(
            "U09",
            "redis-socket://:pw@/var/run/redis/redis.sock?db=12",
            socket().password("pw").database(12)),
        arguments(
            "U10",
            "redis-sentinel://localhost:5000,localhost:5001,localhost:5002?master=mymaster",
            sentinel()),
        arguments(
            "U11",
            "redis-sentinel://:pw@localhost:5000,localhost:5001,localhost:5002?master=mymaster",
            sentinel().sentinelPassword("pw")),
        arguments(
            "U12",
            "redis-sentinel://localhost:5000,localhost:5001,localhost:5002/3?master=mymaster",
            sentinel().database(3)),
        arguments(
            "U13",
            "redis-sentinel://:pw@localhost:5000,localhost:5001,localhost:5002/7?master=mymaster",
            sentinel().sentinelPassword("pw").database(7)),
        arguments("U20", "redis://localhost:6379/10", standalone("localhost").database(10)));
  }

  private static RedisConfig.Builder standalone(String host) {
    return RedisConfig.builder().standalone(host, 6379);
  }

  private static RedisConfig.Builder socket() {
    return RedisConfig.builder().socket(SOCKET);
  }

  private static RedisConfig.Builder sentinel() {
    return RedisConfig.builder().sentinel("mymaster", SENTINELS);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "U14 | rdb://localhost:6379 | The scheme rdb:// is unknown |"
            + " redis://user:password@localhost:6379/0",
        "U15 | localhost:6379 | does not start with a scheme |"
            + " redis://user:password@localhost:6379/0",
        "U16 | redis://localhost:6379/1,2,3 | must be the number of a database |"
            + " redis://user:password@localhost:6379/0",
        "U17 | redis-socket:// | path of the socket is missing |"
            + " redis-socket://user:password@/var/run/redis/redis.sock?db=0",
        "U18 | redis-socket:///var/run/redis/redis.sock?db=one | 'db' must be a number, got 'one'"
            + " | redis-socket://user:password@/var/run/redis/redis.sock?db=0",
        "U19 | redis-sentinel://localhost:5000/abc?master=mymaster | must be the number of a"
            + " database | redis-sentinel://host1:26379,host2:26379/0?master=mymaster",
      })
  void refusesWhatTheOriginalRefuses(String number, String uri, String problem, String example) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConfig.parse(uri))
        .withMessageContaining("'" + uri + "'")
        .withMessageContaining(problem)
        .withMessageEndingWith("A correct one: " + example);
  }

  @Test
  void w38UserNameDefaultPortTrailingSlashAndSentinelDataCredentialsWithTls() {
    RedisConfig standalone = RedisConfig.parse("redis://app:pw@redis.example.com/");
    assertThat(standalone.endpoints()).containsExactly(new Endpoint("redis.example.com", 6379));
    assertThat(standalone.username()).hasValue("app");
    assertThat(standalone.password()).hasValue("pw");
    assertThat(standalone.database()).isZero();

    RedisConfig sentinel =
        RedisConfig.parse(
            "rediss-sentinel://watch:w%40tch@s1,s2:1234/2?master=m&username=app&password=p%26w");
    assertThat(sentinel.kind()).isEqualTo(Kind.SENTINEL);
    assertThat(sentinel.endpoints())
        .containsExactly(new Endpoint("s1", 26_379), new Endpoint("s2", 1234));
    assertThat(sentinel.masterName()).hasValue("m");
    assertThat(sentinel.sentinelUsername()).hasValue("watch");
    assertThat(sentinel.sentinelPassword()).hasValue("w@tch");
    assertThat(sentinel.username()).hasValue("app");
    assertThat(sentinel.password()).hasValue("p&w");
    assertThat(sentinel.database()).isEqualTo(2);
    assertThat(sentinel.tls()).hasValue(TlsConfig.defaults());
  }

  @Test
  void enqueuesAreNumberedByDefault() {
    assertThat(RedisConfig.parse("redis://localhost").numberedEnqueue()).isTrue();
    assertThat(RedisConfig.parse("redis://localhost?numberedEnqueue=false").numberedEnqueue())
        .isFalse();
    assertThatThrownBy(() -> RedisConfig.parse("redis://localhost?numberedEnqueue=no"))
        .hasMessageContaining("'numberedEnqueue' must be true or false, got 'no'");
  }

  @Test
  void hasSensibleDefaults() {
    RedisConfig config = RedisConfig.parse("redis://localhost");

    assertThat(config).isEqualTo(RedisConfig.builder().build());
    assertThat(config.kind()).isEqualTo(Kind.STANDALONE);
    assertThat(config.username()).isEmpty();
    assertThat(config.password()).isEmpty();
    assertThat(config.sentinelUsername()).isEmpty();
    assertThat(config.sentinelPassword()).isEmpty();
    assertThat(config.masterName()).isEmpty();
    assertThat(config.socketPath()).isEmpty();
    assertThat(config.tls()).isEmpty();
    assertThat(config.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(config.retryFor()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.maxConnections())
        .isEqualTo(Math.max(16, 8 * Runtime.getRuntime().availableProcessors()));
    assertThat(config.clientName()).isEqualTo("asynq4j");
  }

  @Test
  void parsesClusters() {
    RedisConfig config = RedisConfig.parse("redis-cluster://app:pw@n1:7000,n2,[::1]:7001");

    assertThat(config.kind()).isEqualTo(Kind.CLUSTER);
    assertThat(config.endpoints())
        .containsExactly(
            new Endpoint("n1", 7000), new Endpoint("n2", 6379), new Endpoint("::1", 7001));
    assertThat(config.username()).hasValue("app");
    assertThat(config.password()).hasValue("pw");
    assertThat(RedisConfig.parse("rediss-cluster://n1/").tls()).isPresent();
    assertThat(RedisConfig.parse("redis-cluster://n1/0").database()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "redis://localhost, -, -",
        "redis://app@localhost, app, -",
        "redis://app:@localhost, app, -",
        "redis://:pw@localhost, -, pw",
        "redis://app:pw@localhost, app, pw",
        "redis://@localhost, -, -",
        "redis://app:a:b@localhost, app, a:b",
        "redis://localhost?username=app&password=pw, app, pw",
      })
  void readsCredentials(String uri, String username, String password) {
    RedisConfig config = RedisConfig.parse(uri);

    assertThat(config.username().orElse(null)).isEqualTo(username);
    assertThat(config.password().orElse(null)).isEqualTo(password);
  }

  @Test
  void decodesPercentSignsAndLeavesPlusSignsAlone() {
    RedisConfig config =
        RedisConfig.parse("redis://us%3Aer:%40%3A%2F%2C%25%2B+%3F%23%C3%BC@localhost");
    assertThat(config.username()).hasValue("us:er");
    assertThat(config.password()).hasValue("@:/,%++?#ü");

    assertThat(RedisConfig.parse("redis://localhost?password=a+b%26%3D@").password())
        .hasValue("a+b&=@");
    assertThat(RedisConfig.parse("redis-socket:///tmp/my%20redis@1.sock").socketPath())
        .hasValue(Path.of("/tmp/my redis@1.sock"));
    assertThat(RedisConfig.parse("redis://:p@ss,word@localhost").password()).hasValue("p@ss,word");
  }

  @ParameterizedTest
  @CsvSource({
    "redis://[::1], [::1]:6379",
    "redis://[::1]:7000/1, [::1]:7000",
    "redis://:pw@[2001:db8::1]:7000, [2001:db8::1]:7000",
    "redis://[fe80::1%25eth0]:7000, [fe80::1%eth0]:7000",
    "REDIS://Example:7000, Example:7000",
  })
  void readsHosts(String uri, String endpoint) {
    assertThat(RedisConfig.parse(uri).endpoints()).singleElement().hasToString(endpoint);
  }

  @Test
  void readsParameters() {
    RedisConfig config =
        RedisConfig.parse(
            "rediss://localhost?db=4&connectTimeout=500ms&commandTimeout=1m&retryFor=PT1.5S"
                + "&clientName=mailer&maxConnections=7&verifyHostname=false&trustStore=/etc/t.p12"
                + "&trustStorePassword=a%20b&keyStore=/etc/k.jks&keyStorePassword=c+d");

    assertThat(config)
        .isEqualTo(
            RedisConfig.builder()
                .standalone("localhost", 6379)
                .database(4)
                .connectTimeout(Duration.ofMillis(500))
                .commandTimeout(Duration.ofMinutes(1))
                .retryFor(Duration.ofMillis(1500))
                .clientName("mailer")
                .maxConnections(7)
                .tls(
                    TlsConfig.defaults()
                        .withTrustStore(Path.of("/etc/t.p12"), "a b")
                        .withKeyStore(Path.of("/etc/k.jks"), "c+d")
                        .withVerifyHostname(false))
                .build());
    assertThat(RedisConfig.parse("redis://localhost?retryFor=0s").retryFor()).isZero();
  }

  @Test
  void namesAnUnknownParameterAndTheKnownOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConfig.parse("redis://localhost?passwort=geheim"))
        .withMessageContaining("'redis://localhost?passwort=***'")
        .withMessageContaining("The parameter 'passwort' is unknown")
        .withMessageContaining("db, master, username, password, connectTimeout")
        .withMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "redis:// | host is missing",
        "redis:///3 | host is missing",
        "redis://h1,h2 | redis-cluster:// or redis-sentinel://",
        "redis-cluster://h1,,h2 | host is missing",
        "redis-cluster://h1,h2, | host is missing",
        "redis-cluster://h1/1 | database must be 0 in a Redis Cluster, got 1",
        "redis-sentinel://h1 | master name is missing",
        "redis-sentinel://?master=m | host is missing",
        "redis-sentinel://h1?master= | 'master' has no value",
        "redis://h?master=m | redis-sentinel://",
        "redis://h: | port",
        "redis://h:abc | port",
        "redis://h:0 | port must be 1 to 65535 (usually 6379), got 0",
        "redis://h:65536 | got 65536",
        "redis://::1 | in brackets",
        "redis://[::1 | in brackets",
        "redis://[localhost:6379 | in brackets",
        "redis://[::1]6379 | port",
        "redis://h/-1 | database must be 0 or greater, got -1",
        "redis://h/1/2 | number of a database",
        "redis://h/99999999999 | number of a database",
        "redis://h/1?db=1 | given twice",
        "redis://h?db=1&db=2 | 'db' is given twice",
        "redis://h?db | 'db' has no value",
        "redis://h#1 | %23",
        "redis://%zz@h | %25",
        "redis://h?commandTimeout=3 | is not a duration; write it with units",
        "redis://h?commandTimeout=0s | commandTimeout must be 1ms to 24d20h31m23s647ms, got 0s",
        "redis://h?connectTimeout=-PT1S | connectTimeout must be 1ms to 24d20h31m23s647ms, got PT-1S",
        "redis://h?retryFor=-PT1S | retryFor (0s disables retries) must be 0s to 24d",
        "redis://h?retryFor=PT999999H | retryFor (0s disables retries) must be 0s to 24d",
        "redis://h?maxConnections=0 | maxConnections must be 1 or greater, got 0",
        "redis://h?clientName=a%20b | 'a b'",
        "redis://h?trustStore=/x | rediss",
        "rediss://h?verifyHostname=no | true or false, got 'no'",
        "rediss://h?trustStorePassword=x | without trustStore",
        "redis-socket://host/path | Only user:password@",
        "redis-socket:/// | path of the socket is missing",
        "redis-socket://:x@ | path of the socket is missing",
        "redis://app@h?username=b | given twice",
      })
  void refuses(String uri, String problem) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConfig.parse(uri))
        .withMessageStartingWith("Invalid Redis URI '")
        .withMessageContaining(problem)
        .withMessageContaining(". A correct one: redis");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://app:s3cret@h:abc",
        "redis://:s3cret@h/1,2",
        "app:s3cret@h:6379",
        "app:s3cret://x@h:6379",
        "rdb://app:s3cret@h",
        "redis://app:s3cret/more@h",
        "redis://app:s3cret?more@h",
        "redis://app:more?s3cret@h",
        "redis://app:more?s3cret=1@h",
        "redis://app:s3cret#more@h",
        "redis://app:s3cret%@h",
        "redis://app:more@s3cret@@h:x",
        "redis-socket://app:s3cret/more@/path",
        "redis-socket://app:s3cret@?db=x",
        "redis-sentinel://h?password=s3cret",
        "redis-sentinel://h?password=more@s3cret",
        "rediss://h:x?trustStore=/t&trustStorePassword=s3cret&keyStore=/k&keyStorePassword=s3cret",
        "rediss://h?keyStorePassword=s3cret",
      })
  void neverShowsAPasswordInAnError(String uri) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConfig.parse(uri))
        .withMessageNotContaining("s3cret")
        .withNoCause();
  }

  @Test
  void neverShowsAPasswordInItsText() {
    RedisConfig config =
        RedisConfig.parse(
            "rediss-sentinel://watch:s3cret1@[::1]/3?master=m&username=app&password=s3cret2"
                + "&trustStore=/t&trustStorePassword=s3cret3&keyStore=/k&keyStorePassword=s3cret4");

    assertThat(config.toString())
        .contains("SENTINEL", "[::1]:26379", "masterName=m", "database=3", "/t", "/k")
        .contains("username=app, password=***", "sentinelUsername=watch, sentinelPassword=***")
        .doesNotContain("s3cret");
    assertThat(RedisConfig.builder().build().toString()).doesNotContain("***");
  }

  @Test
  void copiesThroughItsBuilder() {
    RedisConfig config =
        RedisConfig.parse(
            "rediss-sentinel://watch:pw1@s1/3?master=m&username=app&password=pw2"
                + "&connectTimeout=1s&commandTimeout=2s&retryFor=4s&maxConnections=5&clientName=x");

    assertThat(config.toBuilder().build()).isEqualTo(config).hasSameHashCodeAs(config);
    assertThat(config.toBuilder().database(4).build()).isNotEqualTo(config);
    assertThat(config.toBuilder().password("other").build()).isNotEqualTo(config);
    assertThat(config).isNotEqualTo("redis://localhost");
  }

  @Test
  void changesTheKindWithoutLeavingsOfTheOldOne() {
    RedisConfig sentinel = sentinel().build();

    RedisConfig socket = sentinel.toBuilder().socket(SOCKET).build();
    assertThat(socket.endpoints()).isEmpty();
    assertThat(socket.masterName()).isEmpty();
    assertThat(socket.toBuilder().standalone("localhost", 6379).build())
        .isEqualTo(RedisConfig.builder().build());
  }

  @Test
  void refusesContradictionsInItsBuilder() {
    RedisConfig.Builder builder = RedisConfig.builder();
    assertRefused(builder.cluster(), "hosts of the cluster are missing");
    assertRefused(builder.sentinel("m"), "sentinels are missing");
    assertRefused(builder.sentinel(" ", SENTINELS), "master name is missing");
    assertRefused(builder.socket(Path.of("")), "path of the socket is missing");
    assertRefused(socket().tls(TlsConfig.defaults()), "TLS is not possible on a Unix socket");
    assertRefused(standalone("h").sentinelPassword("pw"), "without sentinels");
    assertRefused(standalone("h").username(""), "username is empty");
    assertRefused(standalone("h").password(""), "password is empty");
    assertRefused(standalone("h").clientName(""), "client name");
    assertRefused(standalone("h").commandTimeout(Duration.ofNanos(999_999)), "commandTimeout");
    assertRefused(standalone("h").connectTimeout(Duration.ofDays(30)), "connectTimeout");
    assertThatNoException().isThrownBy(() -> standalone("h").retryFor(Duration.ZERO).build());
  }

  private static void assertRefused(RedisConfig.Builder builder, String problem) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "redis://:s3cret@host", "host,host", "[::1]", "a b"})
  void refusesAHostThatIsNone(String host) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Endpoint(host, 6379))
        .withMessageNotContaining("s3cret");
  }

  @Test
  void doesNotFollowChangesOfTheArrayItWasGiven() {
    Endpoint[] nodes = {new Endpoint("a", 1)};
    RedisConfig.Builder builder = RedisConfig.builder().cluster(nodes);
    nodes[0] = new Endpoint("b", 2);

    assertThat(builder.build().endpoints()).isEqualTo(List.of(new Endpoint("a", 1)));
  }
}
