package io.asynq4j.dashboard.internal.config;

import io.asynq4j.ArchiveSettings;
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
    ArchiveSettings archive,
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
    archive = copy(archive, new ArchiveSettings());
    redis = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(redis));
    hidden = Set.copyOf(hidden);
    redactions = List.copyOf(redactions);
    payloadFormatters = List.copyOf(payloadFormatters);
    resultFormatters = List.copyOf(resultFormatters);
    allowedHosts = Set.copyOf(allowedHosts);
    proxies = List.copyOf(proxies);
  }

  private static ArchiveSettings copy(ArchiveSettings from, ArchiveSettings to) {
    return to.maxSize(from.maxSize()).maxAge(from.maxAge()).releaseLocks(from.releasesLocks());
  }

  /** Sets the limits of archives in the settings of an inspector. */
  public void applyArchive(ArchiveSettings to) {
    copy(archive, to);
  }

  public boolean hasAuthentication() {
    return credentials != null || trustedProxy != null || authenticator != null;
  }
}
