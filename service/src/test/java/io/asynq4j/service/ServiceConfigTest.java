package io.asynq4j.service;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.asynq4j.Durability;
import io.asynq4j.RateLimit;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.tasks.CmdSpec;
import io.asynq4j.service.tasks.ConfiguredTask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceConfigTest {

  private static final String HASH = "sha256:" + "ab".repeat(32);

  private static ServiceConfig parse(String yaml) {
    return ServiceConfig.parse(
        "asynq.yaml", yaml, Map.of("SECRET", "0123456789abcdef", "PORT", "0"));
  }

  private static CmdSpec cmd(ServiceConfig config, String name) {
    return requireNonNull(requireNonNull(config.tasks().get(name)).cmd());
  }

  private static List<String> problems(String yaml) {
    ConfigurationException e =
        catchThrowableOfType(ConfigurationException.class, () -> parse(yaml));
    assertThat(e).as("it is refused").isNotNull();
    return e.problems().stream().map(Object::toString).toList();
  }

  @Test
  void allConditionsAreParsed() {
    ServiceConfig config =
        parse(
            """
            redis:
              url: redis://redis.example.com:6380
            listen: { host: 0.0.0.0, port: "${PORT}" }
            concurrency: 7
            shutdownTimeout: 1m30s
            idempotency: 2d
            durability: replicated
            dashboard: { enabled: true }
            log: { audit: /var/log/audit, requests: true }
            limits: { body: 64KiB, batch: 1MiB, batchLines: 50 }
            lease: { default: 10s, longest: 5m }
            http: { allow: [api.example.com, 10.0.0.0/8], connectTimeout: 1s }
            keys:
              - { name: shop, hash: "%s", scopes: [submit, work], names: ["shop-*"] }
            tasks:
              mail:
                kind: http
                queue: mails
                weight: 3
                maxRun: 4
                timeout: 30s
                retries: 5
                backoff: 10s
                longestBackoff: 10m
                retention: 1d
                unique: 1h
                maxPending: 1000
                rate: 30/m
                burst: 4
                callbacks: { success: { task: line }, failure: { url: "https://api.example.com/f", secret: "${SECRET}" } }
                schedule: { cron: "0 3 * * *", zone: Europe/Oslo, params: { all: true } }
                params: { type: object, required: [to] }
                http: { url: "https://api.example.com/mail", secret: "${SECRET}", readTimeout: 3s }
              line: { kind: worker, ordered: true }
              skipping: { kind: worker, ordered: skip }
              echo:
                kind: cmd
                cmd: { program: /bin/sh, args: [-c, "echo {params.x}"], env: { A: "{params.y}" } }
            """
                .formatted(HASH));
    assertThat(config.redisUrl()).isEqualTo("redis://redis.example.com:6380");
    assertThat(config.listener().host()).isEqualTo("0.0.0.0");
    assertThat(config.listener().port()).isZero();
    assertThat(config.hosting().concurrency()).isEqualTo(7);
    assertThat(config.hosting().shutdownTimeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(config.submit().idempotency()).isEqualTo(Duration.ofDays(2));
    assertThat(config.submit().durability()).isEqualTo(Durability.REPLICATED);
    assertThat(config.limits()).isEqualTo(new RequestLimits(65_536, 1 << 20, 50));
    assertThat(config.leases().usual()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.keys().get(0).allows("shop-7")).isTrue();
    assertThat(config.keys().get(0).allows("other")).isFalse();
    ConfiguredTask mail = requireNonNull(config.tasks().get("mail"));
    assertThat(mail.definition())
        .isEqualTo(
            TaskDefinition.builder("mail", TaskKind.HTTP)
                .queue("mails")
                .weight(3)
                .maxRun(4)
                .timeout(Duration.ofSeconds(30))
                .maxRetry(5)
                .backoff(Duration.ofSeconds(10))
                .longestBackoff(Duration.ofMinutes(10))
                .retention(Duration.ofDays(1))
                .uniqueFor(Duration.ofHours(1))
                .maxPending(1000)
                .rate(new RateLimit(30, Duration.ofMinutes(1), 4))
                .followUps(new FollowUps(null, "line", "mail.on-failure"))
                .paramsSchema("{\"type\":\"object\",\"required\":[\"to\"]}")
                .fromFile(true)
                .build());
    assertThat(requireNonNull(mail.http()).secret()).isEqualTo("0123456789abcdef");
    assertThat(requireNonNull(mail.http()).toString()).doesNotContain("0123456789abcdef");
    assertThat(requireNonNull(mail.schedule()).task().payload().utf8()).isEqualTo("{\"all\":true}");
    ConfiguredTask callback = requireNonNull(config.tasks().get("mail.on-failure"));
    assertThat(callback.definition().kind()).isEqualTo(TaskKind.HTTP);
    assertThat(requireNonNull(callback.http()).url()).hasToString("https://api.example.com/f");
    assertThat(config.dashboard().enabled()).isTrue();
    assertThat(config.logs().audit()).isEqualTo(Path.of("/var/log/audit"));
    assertThat(requireNonNull(config.tasks().get("line")).definition().ordered()).isTrue();
    assertThat(requireNonNull(config.tasks().get("skipping")).definition().maxRun()).isEqualTo(1);
    assertThat(requireNonNull(config.tasks().get("skipping")).definition().ordered()).isFalse();
    assertThat(cmd(config, "echo").program()).isEqualTo("/bin/sh");
  }

  @Test
  void anEmptyFileIsAServiceOnLoopbackThatHostsNothing() {
    ServiceConfig config = parse("");
    assertThat(config.listener().host()).isEqualTo("127.0.0.1");
    assertThat(config.taskNames()).isEmpty();
  }

  @Test
  void allProblemsAreReportedTogetherWithTheirPositions() {
    assertThat(
            problems(
                """
                concurrency: many
                listen:
                  host: 0.0.0.0
                tasks:
                  mail:
                    kind: http
                    retires: 5
                    http:
                      url: https://elsewhere.example.com/
                  run:
                    kind: cmd
                    cmd: { program: sh }
                """))
        .satisfiesExactly(
            p -> assertThat(p).startsWith("asynq.yaml:1:14: concurrency must be a whole number"),
            p -> assertThat(p).startsWith("asynq.yaml:3:9: listen.host is reachable"),
            p ->
                assertThat(p)
                    .startsWith("asynq.yaml:7:5: unknown key tasks.mail.retires; known keys"),
            p ->
                assertThat(p)
                    .contains("asynq.yaml:9:12: tasks.mail.http.url has the host elsewhere"),
            p ->
                assertThat(p).contains("asynq.yaml:12:21: tasks.run.cmd.program must be an absol"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a: [                                       | invalid YAML",
        "tasks: { a: { } }                          | tasks.a.kind is required",
        "tasks: { a: { kind: ftp } }                | must be one of [http, cmd, worker]",
        "tasks: { a: { kind: http } }               | tasks.a.http.url is missing",
        "tasks: { a: { kind: worker, timeout: 5 } } | must be a duration",
        "tasks: { a: { kind: worker, queue: b }, b: { kind: worker } } | share queue",
        "tasks: { a: { kind: worker, ordered: true, maxRun: 2 } } | tasks.a.maxRun is 2, but"
            + " ordered: true runs one task at a time",
        "tasks: { a: { kind: worker, ordered: skip, maxRun: 2 } } | tasks.a.maxRun is 2, but"
            + " ordered: skip runs one task at a time",
        "tasks: { a: { kind: worker, rate: none, burst: 5 } } | tasks.a.burst is 5, but rate: none",
        "lease: { longest: 10s }                    | lease.default must not be longer than"
            + " lease.longest (10s), got 30s",
        "dashboard: { readOnly: true }              | dashboard.readOnly is true, but enabled is not"
            + " set",
        "gearman: { maxFunctions: 5 }               | gearman.maxFunctions is 5, but"
            + " acceptUndefined is not set",
        "gearman: { lease: 2s }                     | gearman.lease must be a duration",
        "tasks: { a: { kind: worker, params: { type: 7 } } } | tasks.a.params is not a valid JSON"
            + " Schema",
        "tasks: { a: { kind: worker, schedule: { cron: x } } } | schedule.cron is invalid",
        "redis: { url: '${NOWHERE}' }               | the environment variable NOWHERE is not set",
        "redis: { url: 'http://x' }                 | redis.url is invalid",
        "keys: [ { name: a, hash: plain, scopes: [submit] } ] | keys[0].hash must be",
        "keys: [ { name: a, hash: plain, scopes: [all] } ] | must be submit, work or operate",
        "http: { allow: ['http://x/'] }             | http.allow is invalid",
        "limits: { body: 1XB }                      | must be a size",
        "concurrency: 1\\nconcurrency: 2            | duplicate key",
        "tasks: { a: { kind: worker, rate: fast } } | tasks.a.rate is invalid",
        "tasks: { a: { kind: worker, burst: 5 } }   | tasks.a.burst requires a rate",
        "tasks: { a: { kind: worker, callbacks: { success: { task: b } } } } | which is not"
            + " defined",
        "tasks: { a: { kind: worker, callbacks: { before: { task: a } } } } | must have none of its"
            + " own",
        "tasks: { a: { kind: worker, callbacks: { failure: { url: 'http://x/' } } } } | top-level"
            + " http.allow does not contain",
        "listen: { tls: { certificate: /nowhere, key: /nowhere } } | listen.tls.certificate is not"
            + " readable",
      })
  void whatIsWrongIsRefused(String yaml, String expected) {
    assertThat(problems(yaml.replace("\\n", "\n")).toString()).contains(expected);
  }

  @Test
  void anInvalidValueIsReportedOnce() {
    assertThat(problems("tasks: { a: { kind: worker, ordered: true, maxRun: [1] } }"))
        .singleElement()
        .asString()
        .contains("tasks.a.maxRun must be a single value");
  }

  @Test
  void aHashOfTwoKeysIsRefusedBecauseOnlyOneOfThemWouldApply() {
    String key = "{ name: %s, hash: \"" + HASH + "\", scopes: [%s] }";
    String keys = key.formatted("a", "submit") + ", " + key.formatted("b", "operate");

    assertThat(problems("keys: [ " + keys + " ]"))
        .singleElement()
        .asString()
        .contains("keys[1].hash of the key \"b\" is also that of the key \"a\"");
  }

  @Test
  void anInactiveSettingIsAllowedNextToTheOneThatSwitchesItOff() {
    ServiceConfig config =
        parse(
            """
            dashboard: { enabled: false, readOnly: true }
            gearman: { acceptUndefined: false, maxFunctions: 5 }
            """);

    assertThat(config.dashboard().enabled()).isFalse();
    assertThat(requireNonNull(config.gearman()).acceptUndefined()).isFalse();
  }

  @Test
  void aKeyThatWasPutInPlaceOfItsHashIsNotRepeated() {
    assertThatThrownBy(() -> parse("keys: [ { name: a, hash: asq_topsecret, scopes: [submit] } ]"))
        .isInstanceOf(ConfigurationException.class)
        .message()
        .doesNotContain("topsecret");
  }

  @Test
  void variablesHaveDefaultsAndCanBeEscaped() {
    assertThat(parse("redis: { url: '${NOWHERE:-redis://other:1}' }").redisUrl())
        .isEqualTo("redis://other:1");
    ServiceConfig config =
        parse("tasks: { a: { kind: cmd, cmd: { program: /bin/sh, args: ['$${SECRET}'] } } }");
    assertThat(cmd(config, "a").arguments().get(0).text()).isEqualTo("${SECRET}");
  }
}
