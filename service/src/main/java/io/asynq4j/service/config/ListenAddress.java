package io.asynq4j.service.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Address of the service. Immutable.
 *
 * @param certificate PEM file with the certificate chain; null = no TLS
 * @param key PEM file with the private key of the certificate
 */
public record ListenAddress(String host, int port, @Nullable Path certificate, @Nullable Path key) {

  public boolean isEncrypted() {
    return certificate != null;
  }
}
