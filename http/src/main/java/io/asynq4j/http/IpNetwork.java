package io.asynq4j.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of IP addresses. Immutable.
 *
 * @param address the first address of the range, or any other one in it
 * @param bits how many leading bits all addresses of the range share
 */
public record IpNetwork(InetAddress address, int bits) {

  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");

  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.:]*:[0-9a-fA-F.:]*");

  /** The part of an IPv6 address that a provider assigns to one customer. */
  private static final int IPV6_SITE_BITS = 64;

  public IpNetwork {
    if (bits > address.getAddress().length * 8) {
      throw new IllegalArgumentException(
          "a network of %s may have %d bits at most: %d"
              .formatted(address.getHostAddress(), address.getAddress().length * 8, bits));
    }
  }

  /** Parses a single address, or a network such as {@code 10.1.0.0/16}. */
  public static IpNetwork parse(String text) {
    int slash = text.indexOf('/');
    Optional<InetAddress> address = literal(slash < 0 ? text : text.substring(0, slash));
    String bits = slash < 0 ? "" : text.substring(slash + 1);
    if (address.isEmpty() || (slash >= 0 && !bits.matches("\\d{1,3}"))) {
      throw new IllegalArgumentException(
          "\"%s\" is not an IP address or network; write it in digits, such as 10.0.0.7 or 10.1.0.0/16"
              .formatted(text));
    }
    int all = address.get().getAddress().length * 8;
    return new IpNetwork(address.get(), slash < 0 ? all : Integer.parseInt(bits));
  }

  /**
   * Parses an address; empty when it is none. Never asks for a name: what a client writes must not
   * make this process wait for a name server.
   */
  public static Optional<InetAddress> literal(String text) {
    String bare =
        text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    int zone = bare.indexOf('%');
    String digits = zone < 0 ? bare : bare.substring(0, zone);
    try {
      if (IPV4.matcher(digits).matches()) {
        return Optional.of(InetAddress.getByName(digits));
      }
      // In brackets it is an address or refused, and never taken for a name.
      return IPV6.matcher(digits).matches()
          ? Optional.of(InetAddress.getByName("[" + digits + "]"))
          : Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** The network of one customer: an IPv4 address alone, an IPv6 address with its neighbours. */
  static IpNetwork siteOf(InetAddress address) {
    byte[] bytes = address.getAddress();
    int bits = bytes.length == 4 ? 32 : IPV6_SITE_BITS;
    try {
      byte[] first = new byte[bytes.length];
      System.arraycopy(bytes, 0, first, 0, bits / 8);
      return new IpNetwork(InetAddress.getByAddress(first), bits);
    } catch (UnknownHostException e) {
      throw new AssertionError("an address has as many bytes as before: " + address, e);
    }
  }

  /** The same as text for an address as text; what is no address is left as it is. */
  public static String siteOf(String address) {
    return literal(address).map(IpNetwork::siteOf).map(IpNetwork::toString).orElse(address);
  }

  public boolean contains(InetAddress other) {
    byte[] base = address.getAddress();
    byte[] bytes = other.getAddress();
    if (base.length != bytes.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(base, 0, whole, bytes, 0, whole)) {
      return false;
    }
    int rest = bits % 8;
    return rest == 0 || (base[whole] & 0xff) >> (8 - rest) == (bytes[whole] & 0xff) >> (8 - rest);
  }

  @Override
  public String toString() {
    return address.getHostAddress() + "/" + bits;
  }
}
