package io.asynq4j.dashboard;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

/** Dependencies of the dashboard, and its public classes. */
@AnalyzeClasses(packages = "io.asynq4j.dashboard", importOptions = DoNotIncludeTests.class)
class DashboardArchitectureTest {

  @ArchTest
  static final ArchRule it_reaches_tasks_only_through_public_packages =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      "io.asynq4j.internal..", "redis.clients..", "com.google.protobuf..")
                  .and(resideOutsideOfPackage("io.asynq4j.internal.text")));

  @ArchTest
  static final ArchRule only_what_users_need_is_public =
      classes()
          .that()
          .arePublic()
          .and()
          .areTopLevelClasses()
          .and()
          .resideInAPackage("io.asynq4j.dashboard")
          .should()
          .haveNameMatching(
              ".*\\.(Dashboard|DashboardServlet|Credentials|TrustedProxy|Authenticator|Grant|Role|HiddenField|PayloadFormatter|TlsCertificate)");

  @ArchTest
  static final ArchRule only_the_standalone_server_knows_jetty =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.DashboardHttpServer(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.eclipse.jetty..");

  @ArchTest
  static final ArchRule the_time_comes_from_redis =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule nothing_static_changes = fields().that().areStatic().should().beFinal();
}
