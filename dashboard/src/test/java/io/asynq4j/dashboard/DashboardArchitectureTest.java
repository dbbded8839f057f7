package io.asynq4j.dashboard;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Instant;
import java.util.Set;

/** Dependencies of the dashboard, and its public classes. */
@AnalyzeClasses(packages = "io.asynq4j.dashboard", importOptions = DoNotIncludeTests.class)
class DashboardArchitectureTest {

  /** Settings and permissions, which all packages may use. */
  private static final Set<String> VOCABULARY =
      Set.of(
          "Authenticator",
          "Credentials",
          "Grant",
          "HiddenField",
          "PasswordHash",
          "PayloadFormatter",
          "Role",
          "TlsCertificate",
          "TrustedProxy");

  private static String outermost(JavaClass type) {
    return type.getName().replaceFirst(".*\\.", "").replaceFirst("\\$.*", "");
  }

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
              ".*\\.(Dashboard|DashboardAccess|DashboardContents|DashboardServlet|Credentials|TrustedProxy|Authenticator|Grant|Role|HiddenField|PayloadFormatter|TlsCertificate)");

  @ArchTest
  static final ArchRule all_other_packages_are_internal =
      classes()
          .that()
          .resideOutsideOfPackage("io.asynq4j.dashboard")
          .should()
          .resideInAPackage("io.asynq4j.dashboard.internal..");

  @ArchTest
  static final ArchRule nothing_internal_is_in_a_public_signature =
      noMethods()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat()
          .resideInAPackage("io.asynq4j.dashboard")
          .and()
          .areDeclaredInClassesThat()
          .arePublic()
          .should()
          .haveRawReturnType(resideInAPackage("io.asynq4j.dashboard.internal.."))
          .orShould()
          .haveRawParameterTypes(
              anyElementThat(resideInAPackage("io.asynq4j.dashboard.internal..")));

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

  /**
   * Each package is a layer. Of the public package, the settings and permissions are the lowest
   * layer, and the classes that start and serve a dashboard the highest.
   */
  private static final SliceAssignment LAYERS =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          String layer =
              type.getPackageName().equals("io.asynq4j.dashboard")
                      && VOCABULARY.contains(outermost(type))
                  ? "vocabulary"
                  : type.getPackageName();
          return SliceIdentifier.of(layer);
        }

        @Override
        public String getDescription() {
          return "packages, and the vocabulary of the public package";
        }
      };

  @ArchTest
  static final ArchRule packages_are_layers =
      slices().assignedFrom(LAYERS).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nothing_static_changes = fields().that().areStatic().should().beFinal();
}
