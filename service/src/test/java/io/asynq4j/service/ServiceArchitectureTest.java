package io.asynq4j.service;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

/** Dependencies of the service. */
@AnalyzeClasses(packages = "io.asynq4j.service", importOptions = DoNotIncludeTests.class)
class ServiceArchitectureTest {

  @ArchTest
  static final ArchRule the_service_knows_only_what_the_core_exports =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.asynq4j.internal..", "redis.clients..")
                  .and(
                      resideOutsideOfPackages(
                          "io.asynq4j.internal.concurrent",
                          "io.asynq4j.internal.definition",
                          "io.asynq4j.internal.outcome",
                          "io.asynq4j.internal.text",
                          "io.asynq4j.internal.time")));

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().matching("io.asynq4j.service.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule parts_do_not_know_the_service_as_a_whole =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.asynq4j.service")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.asynq4j.service");

  @ArchTest
  static final ArchRule the_protocol_of_gearman_knows_nothing_else_of_the_gateway =
      noClasses()
          .that()
          .resideInAPackage("io.asynq4j.service.gearman.protocol")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.asynq4j.service.gearman",
                  "io.asynq4j.service.gearman.job",
                  "io.asynq4j.service.gearman.session"));

  @ArchTest
  static final ArchRule public_records_are_small =
      noClasses()
          .that()
          .resideInAnyPackage("io.asynq4j.service", "io.asynq4j.service.gearman")
          .and()
          .arePublic()
          .should(
              ArchCondition.from(
                  DescribedPredicate.describe(
                      "have more than four components",
                      type -> type.isRecord() && type.reflect().getRecordComponents().length > 4)));

  @ArchTest
  static final ArchRule the_time_comes_from_a_clock =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule nothing_static_changes = fields().that().areStatic().should().beFinal();
}
