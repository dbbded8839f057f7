package io.asynq4j.spring.boot;

import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardServlet;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.spring.boot.AsynqProperties.Roles;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Mounts the dashboard at {@code asynq4j.dashboard.path}. */
@AutoConfiguration(after = AsynqAutoConfiguration.class)
@ConditionalOnProperty("asynq4j.dashboard.path")
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class AsynqDashboardAutoConfiguration {

  static final String SERVLET_NAME = "asynq4jDashboard";

  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

  /** With the library of the dashboard. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Dashboard.class)
  @ConditionalOnBean(RedisConnection.class)
  static class Present {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    DashboardServlet asynqDashboardServlet(
        AsynqProperties properties,
        RedisConnection redis,
        ResourceLoader resources,
        ObjectProvider<DashboardCustomizer> customizers) {
      AsynqProperties.Dashboard settings = properties.dashboard();
      Dashboard.Builder builder = Dashboard.builder(redis);
      boolean hasSecurity =
          ClassUtils.isPresent(
              "org.springframework.security.web.SecurityFilterChain", resources.getClassLoader());
      if (hasSecurity) {
        builder.access(to -> to.authenticator(new SpringSecurityAuthenticator(settings.roles())));
      } else {
        requireNoRoles(settings.roles());
      }
      boolean isReadOnly = settings.readOnly() == null ? !hasSecurity : settings.readOnly();
      try {
        builder
            .readOnly(isReadOnly)
            .title(settings.title())
            .refresh(settings.refresh())
            .metrics(settings.metrics())
            .archive(
                to ->
                    to.maxSize(properties.server().archive().maxSize())
                        .maxAge(properties.server().archive().maxAge())
                        .releaseLocks(properties.server().archive().releaseLocks()));
        builder.access(
            to -> {
              settings.allowedHosts().forEach(to::allowHost);
              settings.forwardedBy().forEach(to::forwardedBy);
            });
        builder.contents(
            to -> {
              settings.redact().forEach(to::redact);
              settings.hide().forEach(field -> to.hide(hiddenField(field)));
            });
      } catch (IllegalArgumentException e) {
        throw new InvalidAsynqSettingException(
            "a property asynq4j.dashboard.* cannot be used: " + e.getMessage(),
            "correct its value");
      }
      customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
      return builder.servlet();
    }

    @Bean(name = SERVLET_NAME)
    ServletRegistrationBean<DashboardServlet> asynq4jDashboard(
        DashboardServlet servlet, AsynqProperties properties) {
      ServletRegistrationBean<DashboardServlet> registration =
          new ServletRegistrationBean<>(servlet, path(properties) + "/*");
      registration.setName(SERVLET_NAME);
      // Live updates are asynchronous responses, and the history begins with the application.
      registration.setAsyncSupported(true);
      registration.setLoadOnStartup(1);
      return registration;
    }
  }

  /** Without the library of the dashboard. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("io.asynq4j.dashboard.Dashboard")
  static class Absent {

    Absent(AsynqProperties properties) {
      throw new InvalidAsynqSettingException(
          "asynq4j.dashboard.path is %s, but asynq4j-dashboard is not on the class path"
              .formatted(properties.dashboard().path()),
          "add the dependency io.asynq4j:asynq4j-dashboard, or leave out the path");
    }
  }

  static String path(AsynqProperties properties) {
    String path = properties.dashboard().path();
    if (path == null || !PATH.matcher(path).matches()) {
      throw new InvalidAsynqSettingException(
          "asynq4j.dashboard.path is \"%s\", which is not a path below the root".formatted(path),
          "use one such as /asynq, without a slash at the end");
    }
    return path;
  }

  private static void requireNoRoles(Roles roles) {
    if (!roles.isEmpty()) {
      throw new InvalidAsynqSettingException(
          "asynq4j.dashboard.roles is set, but Spring Security is not on the class path, so no user has a role",
          "add Spring Boot's starter for security, or leave out the roles");
    }
  }

  private static HiddenField hiddenField(String name) {
    return Arrays.stream(HiddenField.values())
        .filter(field -> field.word().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "hide must be payload, result, headers or error, got \"%s\"".formatted(name)));
  }
}
