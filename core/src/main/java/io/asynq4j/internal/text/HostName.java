package io.asynq4j.internal.text;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this machine calls itself to others. */
public final class HostName {

  private HostName() {}

  public static String local() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
