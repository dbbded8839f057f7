package io.asynq4j.service.tasks;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Where hosted tasks may connect to: hosts by name, and ranges of addresses. The address that a
 * name resolves to is looked at for each connection: one that is not public is refused unless a
 * range names it, so that a changed DNS entry leads nowhere. Immutable.
 */
public final class AllowedHosts {

  /** Addresses that share their first bits. */
  private static final class Range {
    private final byte[] network;
    private final int bits;

    Range(byte[] network, int bits) {
      this.network = network;
      this.bits = bits;
    }

    boolean contains(byte[] address) {
      if (address.length != network.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((address[bit / 8] & mask) != (network[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  private final Set<String> names = new HashSet<>();
  private final List<Range> ranges = new ArrayList<>();

  /** Throws {@code IllegalArgumentException} when one is neither. */
  public AllowedHosts(List<String> entries) {
    for (String entry : entries) {
      String host = entry.strip().toLowerCase(Locale.ROOT);
      if (host.contains("/")) {
        ranges.add(range(host));
      } else if (isAddress(host)) {
        byte[] address = literal(host);
        ranges.add(new Range(address, address.length * 8));
      } else if (host.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
        names.add(host);
      } else {
        throw new IllegalArgumentException(
            "\"" + entry + "\" is no host name, address or range such as 10.0.0.0/8");
      }
    }
  }

  private static Range range(String text) {
    int slash = text.indexOf('/');
    try {
      byte[] network = literal(text.substring(0, slash));
      int bits = Integer.parseInt(text.substring(slash + 1));
      if (bits >= 0 && bits <= network.length * 8) {
        return new Range(network, bits);
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new IllegalArgumentException("\"" + text + "\" is no range of addresses");
  }

  private static boolean isAddress(String host) {
    return host.contains(":") || host.matches("[0-9.]+");
  }

  /** Never asks DNS. */
  private static byte[] literal(String address) {
    if (isAddress(address)) {
      try {
        return InetAddress.getByName(address).getAddress();
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("\"" + address + "\" is no address", e);
      }
    }
    throw new IllegalArgumentException("\"" + address + "\" is no address");
  }

  /** Whether a host of a configured URL may be called at all. */
  public boolean allowsHost(String host) {
    String name = bare(host);
    return names.contains(name) || (isAddress(name) && inRange(literal(name)));
  }

  private static String bare(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
  }

  private boolean inRange(byte[] address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  /** Why a host must not be reached at this address; empty when it may. */
  Optional<String> refusal(String host, InetAddress address) {
    if (!allowsHost(host)) {
      return Optional.of("the host " + host + " is not in http.allow");
    }
    if (inRange(address.getAddress()) || isPublic(address)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s is at %s, which is not public and in no range of http.allow"
            .formatted(host, address.getHostAddress()));
  }

  private static boolean isPublic(InetAddress address) {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    boolean shared =
        address instanceof Inet4Address
            ? first == 0 || first >= 240 || (first == 100 && second >= 64 && second < 128)
            // Unique local addresses, and those that wrap one of version 4.
            : (first & 0xfe) == 0xfc || (first == 0 && second == 0x64) || first == 0;
    return !shared
        && !address.isAnyLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !address.isSiteLocalAddress()
        && !address.isMulticastAddress();
  }
}
