package io.asynq4j.http;

import java.time.Duration;
import org.eclipse.jetty.server.SecureRequestCustomizer;

/** Tells browsers that have asked with TLS once never to ask without it. */
public final class StrictTransportSecurity {

  private static final Duration REMEMBERED = Duration.ofDays(365);

  private StrictTransportSecurity() {}

  /**
   * A server is asked for under any name, as it is without TLS; clients compare names. Other hosts
   * of its domain are left alone.
   */
  public static SecureRequestCustomizer customizer() {
    return new SecureRequestCustomizer(
        /* sniHostCheck= */ false, REMEMBERED.toSeconds(), /* stsIncludeSubdomains= */ false);
  }
}
