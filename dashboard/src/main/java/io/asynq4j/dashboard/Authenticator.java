package io.asynq4j.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Authenticates requests for an application that embeds the servlet. Called for every request,
 * concurrently.
 */
@FunctionalInterface
public interface Authenticator {

  /**
   * Returns the permissions of the user. If empty, the other login methods apply; without any, the
   * request is rejected. The user name in the audit log is {@link
   * HttpServletRequest#getRemoteUser()}.
   */
  Optional<Grant> authenticate(HttpServletRequest request);
}
