package io.asynq4j;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** Which package may know which. */
@AnalyzeClasses(packages = "io.asynq4j", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String BROKER = "io.asynq4j.broker";
  private static final String REDIS = "io.asynq4j.redis";
  private static final String HANDLER = "io.asynq4j.handler";
  private static final String SERVER = "io.asynq4j.server";
  private static final String CLIENT = "io.asynq4j.client";
  private static final String LEASE = "io.asynq4j.lease";
  private static final String SCHEDULE = "io.asynq4j.schedule";
  private static final String INSPECT = "io.asynq4j.inspect";
  private static final String DEFINITION = "io.asynq4j.definition";
  private static final String METRICS = "io.asynq4j.metrics";

  private static final Set<String> HOW_TO_CONNECT =
      Set.of("RedisConfig", "RedisConnection", "TlsConfig");

  /** A package knows itself, the vocabulary and these others of ours, and nothing else. */
  private static ArchRule sees(String name, String... others) {
    Set<String> known = new HashSet<>(Set.of(others));
    known.add(name);
    known.add("io.asynq4j");
    return noClasses()
        .that()
        .resideInAPackage(name + "..")
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are ours and not in " + known,
                type ->
                    type.getPackageName().startsWith("io.asynq4j")
                        && known.stream().noneMatch(each -> isIn(type, each))))
        // A rule may be older than its package.
        .allowEmptyShould(true);
  }

  /** The vocabulary is the root package alone; the others are whole trees. */
  private static boolean isIn(JavaClass type, String name) {
    String own = type.getPackageName();
    return own.equals(name) || (!name.equals("io.asynq4j") && own.startsWith(name + "."));
  }

  @ArchTest
  static final ArchRule only_the_redis_package_knows_the_redis_client =
      noClasses()
          .that()
          // The embedded Redis is a module of its own.
          .resideOutsideOfPackages("io.asynq4j.redis..", "io.asynq4j.embedded..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("redis.clients..", "org.apache.commons.pool2..");

  @ArchTest
  static final ArchRule client_server_and_lease_never_see_each_other =
      slices()
          .matching("io.asynq4j.(client|server|lease|schedule|inspect)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule the_client_knows_the_vocabulary_the_broker_and_how_to_connect =
      classes()
          .that()
          .resideInAPackage("io.asynq4j.client..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.asynq4j",
              "io.asynq4j.broker",
              "io.asynq4j.client..",
              "io.asynq4j.redis",
              "java..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule nothing_below_knows_the_client =
      noClasses()
          .that()
          .resideInAnyPackage("io.asynq4j", "io.asynq4j.broker..", "io.asynq4j.redis..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.asynq4j.client..");

  @ArchTest
  static final ArchRule nothing_needs_protobuf =
      // Frameworks decide its version, and generated classes run with a few only.
      noClasses().should().dependOnClassesThat().resideInAPackage("com.google.protobuf..");

  @ArchTest
  static final ArchRule the_vocabulary_depends_on_nothing_of_ours =
      noClasses()
          .that()
          .resideInAPackage("io.asynq4j")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.asynq4j.*..");

  @ArchTest static final ArchRule the_broker_knows_only_the_vocabulary = sees(BROKER);

  @ArchTest static final ArchRule redis_knows_the_broker_and_the_vocabulary = sees(REDIS, BROKER);

  @ArchTest static final ArchRule handlers_know_the_broker = sees(HANDLER, BROKER, REDIS);

  @ArchTest
  static final ArchRule the_server_knows_handlers_definitions_and_the_broker =
      sees(SERVER, HANDLER, DEFINITION, BROKER, REDIS);

  @ArchTest static final ArchRule definitions_know_the_broker = sees(DEFINITION, BROKER, REDIS);

  @ArchTest static final ArchRule the_client_knows_the_broker = sees(CLIENT, BROKER, REDIS);

  @ArchTest static final ArchRule leases_know_the_broker = sees(LEASE, BROKER, REDIS);

  @ArchTest static final ArchRule the_inspector_knows_the_broker = sees(INSPECT, BROKER, REDIS);

  @ArchTest static final ArchRule the_scheduler_knows_the_broker = sees(SCHEDULE, BROKER, REDIS);

  @ArchTest
  static final ArchRule metrics_know_the_server_and_the_inspector =
      // The server's listener is told of handlers.
      sees(METRICS, SERVER, HANDLER, INSPECT, BROKER, REDIS);

  @ArchTest
  static final ArchRule of_the_store_others_know_only_the_connection =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.asynq4j.redis..")
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are of the store, and not how to connect to it",
                  type ->
                      type.getPackageName().startsWith(REDIS)
                          && !HOW_TO_CONNECT.contains(type.getSimpleName())));

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
  static final ArchRule the_redis_package_shows_only_how_to_connect =
      classes()
          .that()
          .resideInAPackage("io.asynq4j.redis")
          .and()
          .areTopLevelClasses()
          .and()
          .arePublic()
          .should()
          .haveNameMatching(".*\\.(RedisConfig|RedisConnection|TlsConfig)");

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
        "public and ours",
        type -> type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC));
  }

  private static boolean isOfRedisClient(JavaClass type) {
    return type.getPackageName().startsWith("redis.clients");
  }
}
