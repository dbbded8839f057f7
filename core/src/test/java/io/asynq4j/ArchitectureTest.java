package io.asynq4j;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.asynq4j.internal.redis.store.BrokerConnection;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/** Dependencies between packages. */
@AnalyzeClasses(packages = "io.asynq4j", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  /** The words of the API and the conversion of payloads, which every part may use. */
  private static final Set<String> VOCABULARY = Set.of("io.asynq4j", "io.asynq4j.codec");

  private static final String INTERNAL = "io.asynq4j.internal";

  /** Formats and helpers that every part may use, and that use no part themselves. */
  private static final Set<String> HELPERS =
      Set.of(INTERNAL + ".codec", INTERNAL + ".text", INTERNAL + ".time", INTERNAL + ".concurrent");

  private static final Part BROKER = new Part(INTERNAL + ".broker");
  private static final Part REDIS = new Part("io.asynq4j.redis", INTERNAL + ".redis");
  private static final Part HANDLER = new Part("io.asynq4j.handler");
  private static final Part OUTCOME = new Part(INTERNAL + ".outcome");
  private static final Part SERVER = new Part("io.asynq4j.server", INTERNAL + ".server");
  private static final Part CLIENT = new Part("io.asynq4j.client", INTERNAL + ".client");
  private static final Part LEASE = new Part("io.asynq4j.lease");
  private static final Part SCHEDULE = new Part("io.asynq4j.schedule", INTERNAL + ".schedule");
  private static final Part INSPECT =
      new Part("io.asynq4j.inspect", INTERNAL + ".inspect", INTERNAL + ".doctor");
  private static final Part DEFINITION =
      new Part("io.asynq4j.definition", INTERNAL + ".definition");
  private static final Part METRICS = new Part("io.asynq4j.metrics", INTERNAL + ".metrics");

  /** One part of the library: its public package, and the internal ones that implement it. */
  private record Part(Set<String> packages) {
    Part(String... packages) {
      this(Set.of(packages));
    }

    boolean has(JavaClass type) {
      return packages.stream()
          .anyMatch(each -> (type.getPackageName() + ".").startsWith(each + "."));
    }
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith("io.asynq4j");
  }

  /** Rules, values and exceptions of the client and the inspector that other parts use too. */
  private static final Set<String> SHARED_TYPES =
      Set.of(
          "io.asynq4j.client.DuplicateTaskException",
          "io.asynq4j.client.TaskIdConflictException",
          "io.asynq4j.inspect.FindingKind",
          "io.asynq4j.inspect.TaskAction",
          "io.asynq4j.inspect.QueueLimits",
          "io.asynq4j.inspect.QueueNotEmptyException",
          "io.asynq4j.inspect.QueueSnapshot",
          "io.asynq4j.inspect.TaskPage",
          "io.asynq4j.inspect.TaskPageRecord");

  private static boolean isShared(JavaClass type) {
    return VOCABULARY.contains(type.getPackageName())
        || HELPERS.contains(type.getPackageName())
        || SHARED_TYPES.contains(outermost(type));
  }

  private static String outermost(JavaClass type) {
    return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
  }

  /**
   * A part knows itself, the vocabulary, the helpers and these others, and nothing else of ours.
   */
  private static ArchRule sees(Part part, Part... others) {
    return noClasses()
        .that(DescribedPredicate.describe("are in " + part.packages(), part::has))
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are ours and in none of the parts that it may know",
                type ->
                    isOurs(type)
                        && !part.has(type)
                        && !isShared(type)
                        && Stream.of(others).noneMatch(other -> other.has(type))));
  }

  @ArchTest
  static final ArchRule only_the_redis_part_knows_the_redis_client =
      noClasses()
          // The embedded Redis is a module of its own.
          .that(
              DescribedPredicate.describe(
                  "are not of the redis part",
                  type -> !REDIS.has(type) && !type.getPackageName().equals("io.asynq4j.embedded")))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("redis.clients..", "org.apache.commons.pool2..");

  @ArchTest
  static final ArchRule nothing_needs_protobuf =
      // Frameworks decide its version, and generated classes run with a few only.
      noClasses().should().dependOnClassesThat().resideInAPackage("com.google.protobuf..");

  @ArchTest
  static final ArchRule the_vocabulary_knows_only_helpers =
      noClasses()
          .that()
          .resideInAnyPackage(VOCABULARY.toArray(String[]::new))
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are ours and no helpers", type -> isOurs(type) && !isShared(type)));

  @ArchTest
  static final ArchRule shared_types_know_only_the_vocabulary =
      classes()
          .that(
              DescribedPredicate.describe(
                  "are shared types", type -> SHARED_TYPES.contains(outermost(type))))
          .should()
          .onlyDependOnClassesThat(
              DescribedPredicate.describe(
                  "are not ours or are shared", type -> !isOurs(type) || isShared(type)));

  @ArchTest
  static final ArchRule helpers_know_only_each_other_and_the_vocabulary =
      noClasses()
          .that()
          .resideInAnyPackage(HELPERS.toArray(String[]::new))
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are ours and no helpers", type -> isOurs(type) && !isShared(type)));

  @ArchTest static final ArchRule the_broker_knows_only_the_vocabulary = sees(BROKER);

  @ArchTest static final ArchRule redis_knows_the_broker_and_the_vocabulary = sees(REDIS, BROKER);

  @ArchTest static final ArchRule handlers_know_the_broker = sees(HANDLER, BROKER, REDIS);

  @ArchTest
  static final ArchRule the_policy_of_outcomes_knows_handlers_and_the_broker =
      // Of the broker only what it decides about: it applies nothing itself.
      sees(OUTCOME, HANDLER, BROKER);

  @ArchTest
  static final ArchRule the_server_knows_handlers_outcomes_definitions_and_the_broker =
      sees(SERVER, HANDLER, OUTCOME, DEFINITION, BROKER, REDIS);

  @ArchTest static final ArchRule definitions_know_the_broker = sees(DEFINITION, BROKER, REDIS);

  @ArchTest static final ArchRule the_client_knows_the_broker = sees(CLIENT, BROKER, REDIS);

  @ArchTest
  static final ArchRule leases_know_outcomes_definitions_and_the_broker =
      sees(LEASE, HANDLER, OUTCOME, DEFINITION, BROKER, REDIS);

  @ArchTest static final ArchRule the_inspector_knows_the_broker = sees(INSPECT, BROKER, REDIS);

  @ArchTest static final ArchRule the_scheduler_knows_the_broker = sees(SCHEDULE, BROKER, REDIS);

  @ArchTest
  static final ArchRule metrics_know_the_server_and_the_inspector =
      // The server's listener has types of handlers.
      sees(METRICS, SERVER, HANDLER, INSPECT, BROKER, REDIS);

  @ArchTest
  static final ArchRule of_the_store_others_know_only_the_connection =
      noClasses()
          .that(DescribedPredicate.describe("are not of the redis part", type -> !REDIS.has(type)))
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are internal to the redis part, other than the way to the broker",
                  type ->
                      type.getPackageName().startsWith(INTERNAL + ".redis")
                          && !type.isEquivalentTo(BrokerConnection.class)));

  @ArchTest
  static final ArchRule nothing_internal_is_in_a_public_signature =
      methods()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat(arePublicAndOurs())
          .should()
          .notHaveRawReturnType(
              DescribedPredicate.describe("internal", ArchitectureTest::isInternal))
          .andShould()
          .notHaveRawParameterTypes(
              DescribedPredicate.describe(
                  "internal", types -> types.stream().anyMatch(ArchitectureTest::isInternal)));

  @ArchTest
  static final ArchRule what_is_not_exported_is_internal =
      classes()
          .that(DescribedPredicate.describe("are internal", type -> !isExported(type)))
          .should()
          .resideInAnyPackage(INTERNAL + "..", "io.asynq4j.embedded..", "io.asynq4j.testsupport..");

  private static final Set<String> EXPORTED =
      Set.of(
          "io.asynq4j",
          "io.asynq4j.client",
          "io.asynq4j.codec",
          "io.asynq4j.definition",
          "io.asynq4j.handler",
          "io.asynq4j.inspect",
          "io.asynq4j.lease",
          "io.asynq4j.metrics",
          "io.asynq4j.redis",
          "io.asynq4j.schedule",
          "io.asynq4j.server");

  private static boolean isExported(JavaClass type) {
    return EXPORTED.contains(type.getPackageName());
  }

  @ArchTest
  static final ArchRule no_class_of_the_redis_client_is_in_a_public_signature =
      methods()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat(arePublicAndOurs())
          .should()
          .notHaveRawReturnType(
              DescribedPredicate.describe("of the Redis client", ArchitectureTest::isOfRedisClient))
          .andShould()
          .notHaveRawParameterTypes(
              DescribedPredicate.describe(
                  "of the Redis client",
                  types -> types.stream().anyMatch(ArchitectureTest::isOfRedisClient)));

  @ArchTest
  static final ArchRule public_records_are_small =
      // A new component breaks the callers of its constructor: what may grow is an interface.
      noClasses()
          .that(arePublicAndOurs())
          .should(
              ArchCondition.from(
                  DescribedPredicate.describe(
                      "have more than four components",
                      type -> type.isRecord() && type.reflect().getRecordComponents().length > 4)));

  @ArchTest
  static final ArchRule nothing_static_changes = fields().that().areStatic().should().beFinal();

  @ArchTest
  static final ArchRule the_time_comes_from_a_clock =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule nothing_is_deserialized_as_java_objects =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.ObjectInputStream");

  private static DescribedPredicate<JavaClass> arePublicAndOurs() {
    return DescribedPredicate.describe(
        "public and exported",
        type -> type.getModifiers().contains(JavaModifier.PUBLIC) && isExported(type));
  }

  private static boolean isInternal(JavaClass type) {
    return type.getPackageName().startsWith(INTERNAL);
  }

  private static boolean isOfRedisClient(JavaClass type) {
    return type.getPackageName().startsWith("redis.clients");
  }
}
