package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.api.Exchange;
import io.asynq4j.dashboard.internal.auth.ClientAddressResolver;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.IpNetwork;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests and rejects cross-site requests. Without authentication, only requests
 * from the local machine are accepted.
 */
final class AccessControl {

  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  private final DashboardSettings settings;
  private final @Nullable CredentialVerifier logins;
  private final ClientAddressResolver clientAddress;

  AccessControl(DashboardSettings settings) {
    this.settings = settings;
    Credentials credentials = settings.credentials();
    this.logins = credentials == null ? null : new CredentialVerifier(credentials);
    this.clientAddress = new ClientAddressResolver(settings.proxies());
  }

  /** Value of the WWW-Authenticate header; null if a password would not help. */
  @Nullable String challenge() {
    return logins != null && logins.acceptsPasswords()
        ? "Basic realm=\"asynq\", charset=\"UTF-8\""
        : logins == null ? null : "Bearer realm=\"asynq\"";
  }

  /** Returns the address of the client, as reported by trusted proxies. */
  String addressOf(HttpServletRequest request) {
    return clientAddress.of(request);
  }

  /**
   * Returns the sender of a request before its body is read; empty if a required login is missing.
   *
   * @param header returns the value of a request header, or null
   * @param forwardedFor the values of the header {@code X-Forwarded-For}
   */
  Optional<BodyCaller> bodyCaller(
      String remoteAddress, Function<String, @Nullable String> header, List<String> forwardedFor) {
    if (!settings.hasAuthentication()) {
      return Optional.of(BodyCaller.alone());
    }
    TrustedProxy proxy = settings.trustedProxy();
    String named =
        proxy != null && proxy.isFrom(remoteAddress) ? header.apply(proxy.header()) : null;
    if (named != null) {
      return Optional.of(BodyCaller.verified(named));
    }
    String authorization = logins == null ? null : header.apply("Authorization");
    if (authorization == null && settings.authenticator() == null) {
      return Optional.empty();
    }
    String network = IpNetwork.siteOf(clientAddress.of(remoteAddress, forwardedFor));
    return logins == null
        ? Optional.of(BodyCaller.unverified(network))
        : logins
            .remembered(authorization)
            .map(user -> BodyCaller.verified(String.valueOf(user.name())))
            .or(() -> Optional.of(BodyCaller.unverified(network)));
  }

  User authenticate(HttpServletRequest request) {
    User user = identify(request);
    return settings.readOnly() ? new User(user.name(), user.grant().asViewer()) : user;
  }

  private User identify(HttpServletRequest request) {
    TrustedProxy proxy = settings.trustedProxy();
    if (proxy != null && proxy.isFrom(request.getRemoteAddr())) {
      String name = request.getHeader(proxy.header());
      if (name != null && !name.isBlank()) {
        Optional<Grant> grant = proxy.grantOf(name);
        return new User(
            name,
            grant.orElseThrow(
                () -> Problems.forbidden("Your user is not allowed to use this dashboard.")));
      }
    }
    Authenticator authenticator = settings.authenticator();
    if (authenticator != null) {
      Optional<Grant> grant = authenticator.authenticate(request);
      if (grant.isPresent()) {
        return new User(request.getRemoteUser(), grant.get());
      }
    }
    if (logins != null) {
      return logins.login(request.getHeader("Authorization"), addressOf(request));
    }
    if (settings.hasAuthentication()) {
      throw Problems.unauthorized(
          "This dashboard requires a login through its application or proxy.");
    }
    requireLocal(request);
    return new User(null, Grant.of(Role.ADMIN));
  }

  /**
   * Checks the Host header too. Otherwise a site whose name resolves to 127.0.0.1 could use the
   * dashboard through the browser of a local user (DNS rebinding).
   */
  private void requireLocal(HttpServletRequest request) {
    if (!isLoopback(request.getRemoteAddr())) {
      throw Problems.forbidden(
          "Without authentication, this dashboard accepts only requests from its own machine. Configure credentials or a"
              + " trusted proxy.");
    }
    String host = request.getHeader("Host");
    if (host == null || !isAllowed(name(host))) {
      throw Problems.forbidden(
          "Without authentication, this dashboard accepts only requests to the host name localhost. Configure"
              + " credentials, or allow this host name.");
    }
  }

  private boolean isAllowed(String host) {
    return LOCAL_NAMES.contains(host) || settings.allowedHosts().contains(host);
  }

  private static String name(String host) {
    int colon = host.lastIndexOf(':');
    String name = colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    return name.toLowerCase(Locale.ROOT);
  }

  @SuppressWarnings("AddressSelection") // A literal address: nothing is resolved.
  static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /**
   * Rejects requests that another site makes a browser send. A form or an image on another site
   * cannot set the header, nor hide its origin.
   */
  static void requireOwnOrigin(HttpServletRequest request, boolean changes) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw Problems.crossSite("Only pages of this dashboard may use its API.");
    }
    if (!changes) {
      return;
    }
    String origin = request.getHeader("Origin");
    if (origin != null && !isOwn(origin, request)) {
      throw Problems.crossSite(
          "Only pages of this dashboard may use its API. If it is behind a proxy, configure the proxy to keep the"
              + " header Host.");
    }
    if (!"1".equals(request.getHeader(Exchange.REQUEST_HEADER))) {
      throw Problems.crossSite("Changes need the header " + Exchange.REQUEST_HEADER + ": 1.");
    }
  }

  private static boolean isOwn(String origin, HttpServletRequest request) {
    String host = request.getHeader("Host");
    try {
      String authority = URI.create(origin).getRawAuthority();
      return host != null && authority != null && authority.equalsIgnoreCase(host);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
