package io.asynq4j.http;

import java.time.Duration;
import org.eclipse.jetty.server.SecureRequestCustomizer;

/** Instructs browsers that have used TLS once to always use it (HSTS). */
public final class StrictTransportSecurity {

  private static final Duration REMEMBERED = Duration.ofDays(365);

  private StrictTransportSecurity() {}

  /**
   * Adds the header for any host name, without checking SNI: clients verify the name. Subdomains
   * are not included.
   */
  public static SecureRequestCustomizer customizer() {
    return new SecureRequestCustomizer(
        /* sniHostCheck= */ false, REMEMBERED.toSeconds(), /* stsIncludeSubdomains= */ false);
  }
}
