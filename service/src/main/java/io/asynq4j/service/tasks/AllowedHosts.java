package io.asynq4j.service.tasks;

import io.asynq4j.http.IpNetwork;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Hosts and address ranges that hosted tasks may connect to. Each connection checks the address
 * that the name resolves to: a private address is refused unless a range contains it, so a changed
 * DNS entry cannot redirect a task. Immutable.
 */
public final class AllowedHosts {

  private final Set<String> names = new HashSet<>();
  private final List<IpNetwork> networks = new ArrayList<>();

  /** Throws {@code IllegalArgumentException} if an entry is neither a host name nor a range. */
  public AllowedHosts(List<String> entries) {
    for (String entry : entries) {
      String host = entry.strip().toLowerCase(Locale.ROOT);
      if (host.contains("/") || isAddress(host)) {
        networks.add(IpNetwork.parse(host));
      } else if (host.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
        names.add(host);
      } else {
        throw new IllegalArgumentException(
            "\"" + entry + "\" is not a host name, address or range such as 10.0.0.0/8");
      }
    }
  }

  private static boolean isAddress(String host) {
    return host.contains(":") || host.matches("[0-9.]+");
  }

  /** Whether the host of a configured URL may be called at all. */
  public boolean allowsHost(String host) {
    String name = bare(host);
    return names.contains(name) || IpNetwork.literal(name).filter(this::isInNetwork).isPresent();
  }

  private static String bare(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
  }

  private boolean isInNetwork(InetAddress address) {
    return networks.stream().anyMatch(network -> network.contains(address));
  }

  /** Returns why a host must not be reached at this address; empty if it may. */
  Optional<String> refusal(String host, InetAddress address) {
    if (!allowsHost(host)) {
      return Optional.of("the host " + host + " is not in http.allow");
    }
    if (isInNetwork(address) || isPublic(address)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s resolves to %s, which is a private address outside all ranges of http.allow"
            .formatted(host, address.getHostAddress()));
  }

  private static boolean isPublic(InetAddress address) {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    boolean shared =
        address instanceof Inet4Address
            ? first == 0 || first >= 240 || (first == 100 && second >= 64 && second < 128)
            // Unique local addresses, and IPv6 addresses that embed an IPv4 address.
            : (first & 0xfe) == 0xfc || (first == 0 && second == 0x64) || first == 0;
    return !shared
        && !address.isAnyLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !address.isSiteLocalAddress()
        && !address.isMulticastAddress();
  }
}
