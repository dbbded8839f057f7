package io.asynq4j.spring.boot;

import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;

/**
 * Exempts the dashboard from the CSRF tokens of Spring Security. The dashboard rejects cross-site
 * requests itself, by the origin and a header of its own, and its pages know no tokens. Spring
 * Security applies this to every filter chain.
 */
final class DashboardCsrfConfigurer
    extends AbstractHttpConfigurer<DashboardCsrfConfigurer, HttpSecurity> {

  @Override
  public void init(HttpSecurity http) {
    // Null if the application has disabled CSRF tokens.
    @SuppressWarnings("unchecked")
    CsrfConfigurer<HttpSecurity> csrf = http.getConfigurer(CsrfConfigurer.class);
    if (csrf != null) {
      csrf.ignoringRequestMatchers(DashboardCsrfConfigurer::isForDashboard);
    }
  }

  private static boolean isForDashboard(HttpServletRequest request) {
    HttpServletMapping mapping = request.getHttpServletMapping();
    return mapping != null
        && AsynqDashboardAutoConfiguration.SERVLET_NAME.equals(mapping.getServletName());
  }
}
