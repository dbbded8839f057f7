package io.asynq4j.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of IP addresses. Immutable.
 *
 * @param address any address of the range
 * @param bits number of leading bits that all addresses of the range share
 */
public record IpNetwork(InetAddress address, int bits) {

  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");

  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.:]*:[0-9a-fA-F.:]*");

  /** Number of bits that a provider usually assigns to one customer in IPv6. */
  private static final int IPV6_SITE_BITS = 64;

  public IpNetwork {
    if (bits > address.getAddress().length * 8) {
      throw new IllegalArgumentException(
          "a network of %s must have at most %d bits, got %d"
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
   * Parses an address; empty if the text is not one. Never resolves names: text from a client must
   * not cause a DNS lookup.
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
      // In brackets it is an address or invalid, and never resolved as a name.
      return IPV6.matcher(digits).matches()
          ? Optional.of(InetAddress.getByName("[" + digits + "]"))
          : Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** Returns the network of one customer: a single IPv4 address, or a range of IPv6 addresses. */
  static IpNetwork siteOf(InetAddress address) {
    byte[] bytes = address.getAddress();
    int bits = bytes.length == 4 ? 32 : IPV6_SITE_BITS;
    try {
      byte[] first = new byte[bytes.length];
      System.arraycopy(bytes, 0, first, 0, bits / 8);
      return new IpNetwork(InetAddress.getByAddress(first), bits);
    } catch (UnknownHostException e) {
      throw new AssertionError("unexpected length of an address: " + address, e);
    }
  }

  /** The same for text; text that is not an address is returned unchanged. */
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
