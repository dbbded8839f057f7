package io.asynq4j.dashboard;

import io.asynq4j.http.IpNetwork;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of the dashboard that authenticates users and sends the user name in a header.
 * The header is ignored in requests from other addresses. Immutable.
 *
 * @param addresses addresses of the proxy, or networks such as {@code 10.1.0.0/16}
 * @param header header with the user name, such as {@code X-Forwarded-User}; the proxy must remove
 *     this header from requests of clients
 * @param everyone permissions of users that are not in {@code users}; null to reject them
 * @param users permissions by user name
 */
public record TrustedProxy(
    List<String> addresses, String header, @Nullable Grant everyone, Map<String, Grant> users) {

  public TrustedProxy {
    addresses = List.copyOf(addresses);
    users = Map.copyOf(users);
    if (addresses.isEmpty() || header.isBlank()) {
      throw new IllegalArgumentException("a trusted proxy needs an address and a header");
    }
    addresses.forEach(IpNetwork::parse);
  }

  /** Sets the permissions of all users that the proxy authenticates. */
  public static TrustedProxy of(List<String> addresses, String header, Grant everyone) {
    return new TrustedProxy(addresses, header, everyone, Map.of());
  }

  /** Returns a copy with other permissions for this user. */
  public TrustedProxy with(String user, Grant grant) {
    Map<String, Grant> more = new LinkedHashMap<>(users);
    more.put(user, grant);
    return new TrustedProxy(addresses, header, everyone, more);
  }

  List<IpNetwork> networks() {
    return addresses.stream().map(IpNetwork::parse).toList();
  }

  boolean isFrom(String remoteAddress) {
    return IpNetwork.literal(remoteAddress)
        .filter(remote -> networks().stream().anyMatch(each -> each.contains(remote)))
        .isPresent();
  }

  Optional<Grant> grantOf(String user) {
    Grant own = users.get(user);
    return Optional.ofNullable(own == null ? everyone : own);
  }
}
