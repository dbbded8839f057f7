package io.asynq4j.dashboard.internal.auth;

import io.asynq4j.http.IpNetwork;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Determines the address of a client behind reverse proxies. Only addresses that a trusted proxy
 * adds to {@code X-Forwarded-For} count; clients can forge the others. Immutable.
 */
public final class ClientAddressResolver {

  public static final String FORWARDED_FOR = "X-Forwarded-For";

  private final List<IpNetwork> proxies;

  public ClientAddressResolver(List<IpNetwork> proxies) {
    this.proxies = List.copyOf(proxies);
  }

  public String of(HttpServletRequest request) {
    return of(request.getRemoteAddr(), Collections.list(request.getHeaders(FORWARDED_FOR)));
  }

  /**
   * Determines the address of the client of a request.
   *
   * @param forwardedFor the values of the header {@code X-Forwarded-For}
   */
  public String of(String remoteAddress, List<String> forwardedFor) {
    String client = remoteAddress;
    for (String hop : hops(forwardedFor)) {
      if (!isProxy(client)) {
        break;
      }
      Optional<InetAddress> address = IpNetwork.literal(withoutPort(hop));
      if (address.isEmpty()) {
        break;
      }
      client = address.get().getHostAddress();
    }
    return client;
  }

  private boolean isProxy(String address) {
    return IpNetwork.literal(address)
        .filter(literal -> proxies.stream().anyMatch(proxy -> proxy.contains(literal)))
        .isPresent();
  }

  /** Returns the addresses, nearest first. */
  private static List<String> hops(List<String> forwardedFor) {
    List<String> hops = new ArrayList<>();
    for (String header : forwardedFor) {
      hops.addAll(Arrays.asList(header.split(",", -1)));
    }
    Collections.reverse(hops);
    return hops;
  }

  private static String withoutPort(String hop) {
    String text = hop.strip();
    int colon = text.lastIndexOf(':');
    boolean hasPort = colon > 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
    return hasPort ? text.substring(0, colon) : text;
  }
}
