package io.asynq4j.internal.text;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The host name of this machine. */
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
