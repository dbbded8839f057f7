package io.asynq4j.dashboard;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
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

  private static final Pattern LITERAL = Pattern.compile("[0-9a-fA-F.:]+(/\\d{1,3})?");

  public TrustedProxy {
    addresses = List.copyOf(addresses);
    users = Map.copyOf(users);
    if (addresses.isEmpty() || header.isBlank()) {
      throw new IllegalArgumentException("a trusted proxy needs an address and a header");
    }
    for (String address : addresses) {
      if (!LITERAL.matcher(address).matches()) {
        throw new IllegalArgumentException(
            "the address of a proxy must be written in digits, as 10.0.0.7 or 10.1.0.0/16: \""
                + address
                + "\"");
      }
      contains(address, InetAddress.getLoopbackAddress().getAddress());
    }
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

  boolean isFrom(String remoteAddress) {
    byte[] remote = bytes(remoteAddress);
    return addresses.stream().anyMatch(each -> contains(each, remote));
  }

  Optional<Grant> grantOf(String user) {
    Grant own = users.get(user);
    return Optional.ofNullable(own == null ? everyone : own);
  }

  private static boolean contains(String net, byte[] address) {
    int slash = net.indexOf('/');
    byte[] base = bytes(slash < 0 ? net : net.substring(0, slash));
    int bits = slash < 0 ? base.length * 8 : Integer.parseInt(net.substring(slash + 1));
    if (bits > base.length * 8) {
      throw new IllegalArgumentException("there is no such net: \"" + net + "\"");
    }
    if (base.length != address.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit % 8);
      if ((base[bit / 8] & mask) != (address[bit / 8] & mask)) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("AddressSelection") // A literal address: nothing is resolved.
  private static byte[] bytes(String literal) {
    try {
      int zone = literal.indexOf('%');
      return InetAddress.getByName(zone < 0 ? literal : literal.substring(0, zone)).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an address: \"" + literal + "\"", e);
    }
  }
}
