package io.asynq4j.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Asks the application into which the servlet is mounted who a request is from. Called for every
 * request, by many threads at once.
 */
@FunctionalInterface
public interface Authenticator {

  /**
   * What whoever sent this may do; empty to leave it to the other ways to log in, and to refuse it
   * when there are none. The name for the audit log is {@link HttpServletRequest#getRemoteUser()}.
   */
  Optional<Grant> authenticate(HttpServletRequest request);
}
