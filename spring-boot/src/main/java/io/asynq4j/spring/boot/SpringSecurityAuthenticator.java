package io.asynq4j.spring.boot;

import io.asynq4j.dashboard.Authenticator;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.spring.boot.AsynqProperties.Roles;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;
import java.util.Set;
import org.springframework.security.core.Authentication;

/** Maps the roles of Spring Security to the permissions of the dashboard. */
final class SpringSecurityAuthenticator implements Authenticator {

  private final Roles roles;

  SpringSecurityAuthenticator(Roles roles) {
    this.roles = roles;
  }

  @Override
  public Optional<Grant> authenticate(HttpServletRequest request) {
    // Null for anonymous requests too.
    Principal user = request.getUserPrincipal();
    if (user == null) {
      return Optional.empty();
    }
    if (hasAny(roles.admin(), user, request)) {
      return Optional.of(Grant.of(Role.ADMIN));
    }
    if (hasAny(roles.operator(), user, request)) {
      return Optional.of(Grant.of(Role.OPERATOR));
    }
    boolean mayRead = roles.isEmpty() || hasAny(roles.viewer(), user, request);
    return mayRead ? Optional.of(Grant.of(Role.VIEWER)) : Optional.empty();
  }

  /** A role is {@code OPS} for the authority {@code ROLE_OPS}, or an authority such as a scope. */
  private static boolean hasAny(Set<String> names, Principal user, HttpServletRequest request) {
    return names.stream()
        .anyMatch(
            name ->
                request.isUserInRole(name)
                    || (user instanceof Authentication authentication
                        && authentication.getAuthorities().stream()
                            .anyMatch(granted -> name.equals(granted.getAuthority()))));
  }
}
