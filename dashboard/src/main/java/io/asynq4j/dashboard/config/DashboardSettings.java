package io.asynq4j.dashboard.config;

import io.asynq4j.dashboard.Authenticator;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.PayloadFormatter;
import io.asynq4j.dashboard.TrustedProxy;
import io.asynq4j.http.IpNetwork;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a dashboard. Immutable. */
public record DashboardSettings(
    Map<String, RedisConnection> redis,
    String title,
    boolean readOnly,
    boolean metrics,
    boolean metricsOnly,
    Duration refresh,
    int archiveSize,
    Set<HiddenField> hidden,
    List<RedactionRule> redactions,
    List<PayloadFormatter> payloadFormatters,
    List<PayloadFormatter> resultFormatters,
    @Nullable Credentials credentials,
    @Nullable TrustedProxy trustedProxy,
    @Nullable Authenticator authenticator,
    Set<String> allowedHosts,
    List<IpNetwork> proxies) {

  /** Maximum size of a request body in bytes; base64 makes payloads a third larger. */
  public static final int LARGEST_BODY = 12 << 20;

  public DashboardSettings {
    redis = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(redis));
    hidden = Set.copyOf(hidden);
    redactions = List.copyOf(redactions);
    payloadFormatters = List.copyOf(payloadFormatters);
    resultFormatters = List.copyOf(resultFormatters);
    allowedHosts = Set.copyOf(allowedHosts);
    proxies = List.copyOf(proxies);
  }

  public boolean hasAuthentication() {
    return credentials != null || trustedProxy != null || authenticator != null;
  }
}
