package io.asynq4j.service.gearman;

import io.asynq4j.internal.text.ByteSizeFormat;
import io.asynq4j.internal.text.DurationFormat;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/** Settings of a {@link GearmanGateway}. Immutable. */
public sealed interface GearmanConfig {

  int DEFAULT_PORT = 4730;

  /** Address to listen on; a loopback address unless {@link #allowInsecure}. */
  String host();

  /** Port to listen on; 0 = any free port. */
  int port();

  /**
   * Whether to listen on other than loopback addresses, although gearman's protocol has neither
   * passwords nor encryption.
   */
  boolean allowInsecure();

  /** Whether to define functions that have no task definition, instead of refusing them. */
  boolean acceptUndefined();

  /** Maximum number of definitions up to which functions are defined. */
  int maxFunctions();

  /** Maximum size of a packet, and thus of a payload or result, in bytes. */
  int maxPacket();

  /** Maximum number of connections of clients and workers. */
  int maxConnections();

  /** Maximum time until the first packet of a new connection. */
  Duration firstPacketWithin();

  /** Time after which the jobs of a crashed gateway are run again. */
  Duration lease();

  /**
   * Number of times that a job goes to another worker because its worker has disconnected; 0 =
   * unlimited.
   */
  int jobRetries();

  /** Minimum time for which results of foreground jobs are kept. */
  Duration resultRetention();

  /** Maximum time that closing waits for running jobs. */
  Duration drainTimeout();

  /** Starts with the defaults: port 4730 on 127.0.0.1. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects settings; not thread-safe. */
  final class Builder {
    private String host = "127.0.0.1";
    private int port = DEFAULT_PORT;
    private boolean allowInsecure;
    private boolean acceptUndefined;
    private int maxFunctions = 1_000;
    private int maxPacket = 4 << 20;
    private int maxConnections = 1_000;
    private Duration firstPacketWithin = Duration.ofSeconds(30);
    private Duration lease = Duration.ofSeconds(15);
    private int jobRetries = 3;
    private Duration resultRetention = Duration.ofMinutes(1);
    private Duration drainTimeout = Duration.ofSeconds(20);

    private Builder() {}

    public Builder host(String host) {
      this.host = host;
      return this;
    }

    public Builder port(int port) {
      this.port = port;
      return this;
    }

    public Builder allowInsecure(boolean allowInsecure) {
      this.allowInsecure = allowInsecure;
      return this;
    }

    public Builder acceptUndefined(boolean acceptUndefined) {
      this.acceptUndefined = acceptUndefined;
      return this;
    }

    public Builder maxFunctions(int maxFunctions) {
      this.maxFunctions = maxFunctions;
      return this;
    }

    public Builder maxPacket(int bytes) {
      this.maxPacket = bytes;
      return this;
    }

    public Builder maxConnections(int maxConnections) {
      this.maxConnections = maxConnections;
      return this;
    }

    public Builder firstPacketWithin(Duration firstPacketWithin) {
      this.firstPacketWithin = firstPacketWithin;
      return this;
    }

    public Builder lease(Duration lease) {
      this.lease = lease;
      return this;
    }

    public Builder jobRetries(int jobRetries) {
      this.jobRetries = jobRetries;
      return this;
    }

    public Builder resultRetention(Duration resultRetention) {
      this.resultRetention = resultRetention;
      return this;
    }

    public Builder drainTimeout(Duration drainTimeout) {
      this.drainTimeout = drainTimeout;
      return this;
    }

    public GearmanConfig build() {
      return new Settings(
          host,
          port,
          allowInsecure,
          acceptUndefined,
          maxFunctions,
          maxPacket,
          maxConnections,
          firstPacketWithin,
          lease,
          jobRetries,
          resultRetention,
          drainTimeout);
    }

    private record Settings(
        String host,
        int port,
        boolean allowInsecure,
        boolean acceptUndefined,
        int maxFunctions,
        int maxPacket,
        int maxConnections,
        Duration firstPacketWithin,
        Duration lease,
        int jobRetries,
        Duration resultRetention,
        Duration drainTimeout)
        implements GearmanConfig {

      private static final int LARGEST_PACKET = 64 << 20;
      private static final int SMALLEST_PACKET = 1 << 10;
      private static final Duration SHORTEST_LEASE = Duration.ofSeconds(3);
      private static final Duration LONGEST_LEASE = Duration.ofHours(1);

      Settings {
        requireBetween(0, 65_535, port, "port");
        requireAtLeast(1, maxFunctions, "maxFunctions");
        require(
            maxPacket >= SMALLEST_PACKET && maxPacket <= LARGEST_PACKET,
            "maxPacket must be %s to %s, got %s"
                .formatted(
                    ByteSizeFormat.format(SMALLEST_PACKET),
                    ByteSizeFormat.format(LARGEST_PACKET),
                    ByteSizeFormat.format(maxPacket)));
        requireAtLeast(1, maxConnections, "maxConnections");
        requireAtLeast(Duration.ofMillis(100), firstPacketWithin, "firstPacketWithin");
        require(
            lease.compareTo(SHORTEST_LEASE) >= 0 && lease.compareTo(LONGEST_LEASE) <= 0,
            "lease must be %s to %s, got %s"
                .formatted(
                    DurationFormat.format(SHORTEST_LEASE),
                    DurationFormat.format(LONGEST_LEASE),
                    DurationFormat.format(lease)));
        requireAtLeast(0, jobRetries, "jobRetries");
        requireAtLeast(Duration.ofSeconds(5), resultRetention, "resultRetention");
        requireAtLeast(Duration.ZERO, drainTimeout, "drainTimeout");
        require(
            allowInsecure || isLoopback(host),
            "the gearman gateway must not listen on %s: gearman's protocol has neither passwords nor encryption,"
                    .formatted(host)
                + " so any client that reaches the port can submit, claim and read every job. Listen on"
                + " 127.0.0.1, or set allowInsecure if only trusted machines reach that address");
      }

      private static boolean isLoopback(String host) {
        try {
          for (InetAddress address : InetAddress.getAllByName(host)) {
            if (!address.isLoopbackAddress()) {
              return false;
            }
          }
          return true;
        } catch (UnknownHostException e) {
          throw new IllegalArgumentException(
              "the host \"" + host + "\" to listen on is unknown", e);
        }
      }

      private static void requireBetween(int least, int most, int value, String what) {
        require(
            value >= least && value <= most,
            "%s must be %d to %d, got %d".formatted(what, least, most, value));
      }

      private static void requireAtLeast(int least, int value, String what) {
        require(value >= least, "%s must be %d or greater, got %d".formatted(what, least, value));
      }

      private static void requireAtLeast(Duration least, Duration value, String what) {
        require(
            value.compareTo(least) >= 0,
            "%s must be %s or longer, got %s"
                .formatted(what, DurationFormat.format(least), DurationFormat.format(value)));
      }

      private static void require(boolean condition, String problem) {
        if (!condition) {
          throw new IllegalArgumentException(problem);
        }
      }
    }
  }
}
