package io.asynq4j.service.gearman.job;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The header of a task that names the gateways whose clients wait for it. The gateway of its worker
 * sends them the progress, and none of them deletes the task while another one wants it.
 */
public final class WaitingGatewaysHeader {

  static final String HEADER = "gearman-waits";

  /** Stands for clients that do not wait, for example of a background job. */
  static final String OTHERS = "*";

  private static final String SEPARATOR = ",";

  private WaitingGatewaysHeader() {}

  /** The header of a job that only clients of this gateway want. */
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

  /** The gateways, without {@link #OTHERS}. */
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
