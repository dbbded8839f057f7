package io.asynq4j.service.gearman.job;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which gateways have clients that wait for a job, as a header of its task says: so that the
 * gateway of its worker can tell them, and none of them takes it away when its client goes while
 * another one wants it.
 */
public final class WaitingGatewaysHeader {

  static final String HEADER = "gearman-waits";

  /** Somebody who does not wait wants it too: it was handed in in the background, or otherwise. */
  static final String OTHERS = "*";

  private static final String SEPARATOR = ",";

  private WaitingGatewaysHeader() {}

  /** What is said of a job that nobody but this gateway's client wants. */
  static Map<String, String> only(String gateway) {
    return Map.of(HEADER, gateway);
  }

  public static boolean isOnly(String gateway, Map<String, String> headers) {
    return gateway.equals(headers.get(HEADER));
  }

  static boolean has(String waiter, Map<String, String> headers) {
    return all(headers).contains(waiter);
  }

  static Map<String, String> with(String waiter, Map<String, String> headers) {
    Set<String> all = all(headers);
    all.add(waiter);
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(HEADER, String.join(SEPARATOR, all));
    return more;
  }

  /** The gateways alone. */
  static Set<String> gateways(Map<String, String> headers) {
    Set<String> gateways = all(headers);
    gateways.remove(OTHERS);
    return gateways;
  }

  private static Set<String> all(Map<String, String> headers) {
    return new LinkedHashSet<>(
        Arrays.asList(headers.getOrDefault(HEADER, OTHERS).split(SEPARATOR, -1)));
  }
}
