package io.asynq4j.dashboard;

import io.asynq4j.http.IpNetwork;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a dashboard: {@code Dashboard.builder(redis).access(a ->
 * a.credentials(Credentials.fromFile(path)))}. Not thread-safe.
 */
public final class DashboardAccess {

  @Nullable Credentials credentials;
  @Nullable TrustedProxy trustedProxy;
  @Nullable Authenticator authenticator;
  final List<IpNetwork> proxies = new ArrayList<>();
  final Set<String> allowedHosts = new LinkedHashSet<>();

  DashboardAccess() {}

  /** Users and tokens that may log in. */
  public DashboardAccess credentials(Credentials newCredentials) {
    this.credentials = newCredentials;
    return this;
  }

  /**
   * Proxy that authenticates users. It also reports client addresses, as with {@link #forwardedBy}.
   * Can be set once.
   */
  public DashboardAccess trustedProxy(TrustedProxy proxy) {
    if (trustedProxy != null) {
      throw new IllegalArgumentException(
          "trustedProxy is set for %s and cannot be set for %s too: list all addresses in one TrustedProxy"
              .formatted(trustedProxy.addresses(), proxy.addresses()));
    }
    this.trustedProxy = proxy;
    proxies.addAll(proxy.networks());
    return this;
  }

  /** Authenticates requests with a callback, for an application that embeds the servlet. */
  public DashboardAccess authenticator(Authenticator newAuthenticator) {
    this.authenticator = newAuthenticator;
    return this;
  }

  /**
   * Address or network of a reverse proxy, such as {@code 10.0.0.0/8}. The address of a client is
   * then taken from {@code X-Forwarded-For}. Without this setting, all clients behind a proxy share
   * one address, and failed logins of one client delay the others.
   */
  public DashboardAccess forwardedBy(String address) {
    proxies.add(IpNetwork.parse(address));
    return this;
  }

  /**
   * Adds a host name, besides localhost, under which a dashboard without authentication accepts
   * requests from its own machine.
   */
  public DashboardAccess allowHost(String name) {
    allowedHosts.add(name.toLowerCase(Locale.ROOT));
    return this;
  }
}
