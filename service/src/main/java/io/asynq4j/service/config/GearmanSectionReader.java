package io.asynq4j.service.config;

import io.asynq4j.service.gearman.GearmanConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the {@code gearman} section of a file. */
public final class GearmanSectionReader {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  private GearmanSectionReader() {}

  /** Returns null after an error, which the section has collected. */
  public static @Nullable GearmanConfig read(ConfigurationSection section) {
    GearmanConfig.Builder config = GearmanConfig.builder();
    section.text("host").ifPresent(config::host);
    section.integer("port", 0, 65_535).ifPresent(config::port);
    config.allowInsecure(section.flag("allowInsecure"));
    config.acceptUndefined(section.flag("acceptUndefined"));
    section
        .integer("maxFunctions", 1, 100_000)
        .ifPresent(
            number -> {
              config.maxFunctions(number);
              if (!section.has("acceptUndefined")) {
                section.problem(
                    "maxFunctions",
                    "is %d, but acceptUndefined is not set, so no function is defined; set it or"
                            .formatted(number)
                        + " remove maxFunctions");
              }
            });
    section
        .size("maxPacket", 1 << 10, 64 << 20)
        .ifPresent(bytes -> config.maxPacket(bytes.intValue()));
    section.integer("maxConnections", 1, 100_000).ifPresent(config::maxConnections);
    section
        .duration("firstPacketWithin", Duration.ofMillis(100), HOUR)
        .ifPresent(config::firstPacketWithin);
    section.duration("lease", Duration.ofSeconds(3), HOUR).ifPresent(config::lease);
    section.integer("jobRetries", 0, 1_000_000).ifPresent(config::jobRetries);
    section
        .duration("resultRetention", Duration.ofSeconds(5), DAY)
        .ifPresent(config::resultRetention);
    section.duration("drainTimeout", Duration.ZERO, DAY).ifPresent(config::drainTimeout);
    section.end();
    try {
      return config.build();
    } catch (IllegalArgumentException e) {
      section.problem("host", "is invalid: " + e.getMessage());
      return null;
    }
  }
}
