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

/** Which package may know which. */
@AnalyzeClasses(packages = "io.asynq4j", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String WIRE = "io.asynq4j.redis.wire..";

  @ArchTest
  static final ArchRule only_the_redis_package_knows_the_redis_client =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.asynq4j.redis..")
          .and()
          .resideInAPackage("io.asynq4j..")
          .and()
          .resideOutsideOfPackages("io.asynq4j.embedded..", "io.asynq4j.benchmarks..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("redis.clients..", "org.apache.commons.pool2..");

  @ArchTest
  static final ArchRule client_server_and_lease_never_see_each_other =
      slices()
          .matching("io.asynq4j.(client|server|lease|inspect)..")
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
  static final ArchRule only_the_redis_package_knows_the_wire_format =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.asynq4j.redis..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.google.protobuf..", WIRE);

  @ArchTest
  static final ArchRule the_vocabulary_depends_on_nothing_of_ours =
      noClasses()
          .that()
          .resideInAPackage("io.asynq4j")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.asynq4j.*..");

  @ArchTest
  static final ArchRule the_broker_knows_the_vocabulary_and_no_store =
      noClasses()
          .that()
          .resideInAPackage("io.asynq4j.broker..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.asynq4j.redis..");

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
  static final ArchRule nothing_static_changes =
      fields()
          .that()
          .areStatic()
          .and()
          .areDeclaredInClassesThat()
          .resideOutsideOfPackage(WIRE)
          .should()
          .beFinal();

  @ArchTest
  static final ArchRule the_time_comes_from_a_clock =
      noClasses()
          .that()
          .resideOutsideOfPackage(WIRE)
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule nothing_is_deserialized_as_java_objects =
      noClasses()
          .that()
          .resideOutsideOfPackage(WIRE)
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.ObjectInputStream");

  private static DescribedPredicate<JavaClass> arePublicAndOurs() {
    return DescribedPredicate.describe(
        "public and ours",
        type ->
            type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC)
                && !type.getPackageName().startsWith("io.asynq4j.redis.wire"));
  }

  private static boolean isOfRedisClient(JavaClass type) {
    return type.getPackageName().startsWith("redis.clients");
  }
}
