package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardServlet;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;

/** Where the dashboard is mounted, who may use it, and what is reported about its properties. */
class DashboardTest {

  private static final String NOWHERE = "asynq4j.redis.url=redis://127.0.0.1:1";

  private final WebApplicationContextRunner contexts =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  AsynqAutoConfiguration.class, AsynqDashboardAutoConfiguration.class))
          .withPropertyValues(NOWHERE);

  private final WebApplicationContextRunner withoutSecurity =
      contexts.withClassLoader(new FilteredClassLoader("org.springframework.security"));

  private static void assertRefused(WebApplicationContextRunner runner, String... parts) {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(Contexts.invalidSetting(context.getStartupFailure()).getMessage())
              .contains(parts);
        });
  }

  @Test
  void isMountedAtItsPath() {
    contexts
        .withPropertyValues("asynq4j.dashboard.path=/ops/tasks")
        .run(
            context ->
                assertThat(context.getBean(ServletRegistrationBean.class).toString())
                    .contains("/ops/tasks/*"));
  }

  @Test
  void doesNotExistWithoutAPathOrAServletContainer() {
    contexts.run(context -> assertThat(context).doesNotHaveBean(DashboardServlet.class));
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AsynqAutoConfiguration.class, AsynqDashboardAutoConfiguration.class))
        .withPropertyValues(NOWHERE, "asynq4j.dashboard.path=/asynq")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DashboardServlet.class));
  }

  @Test
  void refusesPathsThatCannotBeMounted() {
    for (String path : List.of("asynq", "/", "/asynq/", "/a b", "/asynq/*")) {
      assertRefused(
          contexts.withPropertyValues("asynq4j.dashboard.path=" + path),
          "asynq4j.dashboard.path is \"" + path + "\"",
          "use one such as /asynq");
    }
  }

  @Test
  void refusesAPathWithoutTheLibrary() {
    assertRefused(
        contexts
            .withClassLoader(new FilteredClassLoader("io.asynq4j.dashboard"))
            .withPropertyValues("asynq4j.dashboard.path=/asynq"),
        "asynq4j.dashboard.path is /asynq, but asynq4j-dashboard is not on the class path",
        "add the dependency");
  }

  @Test
  void refusesRolesWithoutSpringSecurity() {
    assertRefused(
        withoutSecurity.withPropertyValues(
            "asynq4j.dashboard.path=/asynq", "asynq4j.dashboard.roles.admin=OPS"),
        "asynq4j.dashboard.roles is set, but Spring Security is not on the class path",
        "leave out the roles");
  }

  @Test
  void refusesSettingsThatItDoesNotUnderstand() {
    WebApplicationContextRunner mounted =
        contexts.withPropertyValues("asynq4j.dashboard.path=/asynq");
    assertRefused(
        mounted.withPropertyValues("asynq4j.dashboard.hide=secrets"),
        "asynq4j.dashboard.*",
        "hide must be payload, result, headers or error, got \"secrets\"");
    assertRefused(
        mounted.withPropertyValues("asynq4j.dashboard.refresh=1ms"),
        "asynq4j.dashboard.*",
        "refresh must be 100 ms to 1 minute");
  }

  private static MockHttpServletRequest request(String method, String path) {
    MockHttpServletRequest request = new MockHttpServletRequest(method, "/asynq" + path);
    request.setServletPath("/asynq");
    request.setPathInfo(path);
    request.addHeader("Host", "localhost");
    return request;
  }

  private static MockHttpServletResponse call(
      DashboardServlet servlet, MockHttpServletRequest request) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    servlet.service(request, response);
    return response;
  }

  @Test
  void isReadOnlyAndLocalWithoutSpringSecurity() {
    withoutSecurity
        .withPropertyValues("asynq4j.dashboard.path=/asynq")
        .run(
            context -> {
              DashboardServlet servlet = context.getBean(DashboardServlet.class);
              assertThat(call(servlet, request("GET", "/api/v1/session")).getContentAsString())
                  .contains("\"role\":\"viewer\"", "\"readOnly\":true");
              MockHttpServletRequest remote = request("GET", "/api/v1/session");
              remote.setRemoteAddr("203.0.113.7");
              assertThat(call(servlet, remote).getStatus()).isEqualTo(403);
            });
    withoutSecurity
        .withPropertyValues("asynq4j.dashboard.path=/asynq", "asynq4j.dashboard.read-only=false")
        .run(
            context ->
                assertThat(
                        call(
                                context.getBean(DashboardServlet.class),
                                request("GET", "/api/v1/session"))
                            .getContentAsString())
                    .contains("\"role\":\"admin\""));
  }

  @Test
  void mapsTheRolesOfSpringSecurity() {
    WebApplicationContextRunner mounted =
        contexts.withPropertyValues("asynq4j.dashboard.path=/asynq");
    mounted
        .withPropertyValues(
            "asynq4j.dashboard.roles.viewer=DEV",
            "asynq4j.dashboard.roles.operator=OPS",
            "asynq4j.dashboard.roles.admin=SCOPE_tasks")
        .run(
            context -> {
              DashboardServlet servlet = context.getBean(DashboardServlet.class);
              assertThat(roleOf(servlet, "ROLE_DEV")).contains("\"role\":\"viewer\"");
              assertThat(roleOf(servlet, "ROLE_OPS")).contains("\"role\":\"operator\"");
              assertThat(roleOf(servlet, "SCOPE_tasks")).contains("\"role\":\"admin\"");
              assertThat(roleOf(servlet, "ROLE_OTHER")).contains("401");
              assertThat(call(servlet, request("GET", "/api/v1/session")).getStatus())
                  .isEqualTo(401);
            });
    mounted.run(
        context ->
            assertThat(roleOf(context.getBean(DashboardServlet.class), "ROLE_OTHER"))
                .contains("\"role\":\"viewer\"", "\"readOnly\":false"));
  }

  private static String roleOf(DashboardServlet servlet, String authority) throws Exception {
    MockHttpServletRequest request = request("GET", "/api/v1/session");
    request.setUserPrincipal(new TestingAuthenticationToken("ada", "", authority));
    if (authority.startsWith("ROLE_")) {
      request.addUserRole(authority.substring("ROLE_".length()));
    }
    return call(servlet, request).getContentAsString();
  }

  @Test
  void aDashboardOfItsOwnNeedsJetty() {
    try (RedisConnection redis = RedisConnection.lazy("redis://127.0.0.1:1")) {
      assertThatIllegalStateException()
          .isThrownBy(() -> Dashboard.builder(redis).start())
          .withMessageContaining("Jetty is not on the class path")
          .withMessageContaining("jetty-ee11-servlet");
    }
  }
}
