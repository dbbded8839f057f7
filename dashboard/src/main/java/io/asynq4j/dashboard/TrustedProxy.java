package io.asynq4j.dashboard;

import io.asynq4j.http.IpNetwork;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of the dashboard that logs users in and says who they are in a header. The
 * header counts only in requests that come from the proxy's addresses; from everywhere else it is
 * ignored. Immutable.
 *
 * @param addresses of the proxy: single ones, or nets such as {@code 10.1.0.0/16}
 * @param header in which it names the user, such as {@code X-Forwarded-User}; it must remove what
 *     clients send under this name
 * @param everyone what a user may do who is not named below; null to let nobody else in
 * @param users what the named ones may do
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

  /** Whoever the proxy lets in may do this. */
  public static TrustedProxy of(List<String> addresses, String header, Grant everyone) {
    return new TrustedProxy(addresses, header, everyone, Map.of());
  }

  /** The same, but this user may do that. */
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
