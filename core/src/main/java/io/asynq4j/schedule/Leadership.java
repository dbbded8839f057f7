package io.asynq4j.schedule;

import io.asynq4j.broker.ScheduleLedger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether it is this scheduler that sees to its entries. Those with the same entries, by their
 * names, have one leader; so schedulers of different programs never wait for each other. Used by
 * one thread, but for {@link #isLeading}.
 */
final class Leadership {

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);

  private final ScheduleLedger ledger;
  private final String schedulerId;
  private final Duration lease;
  private String group = "";
  private volatile boolean leading;
  private boolean following;

  Leadership(ScheduleLedger ledger, String schedulerId, Duration lease) {
    this.ledger = ledger;
    this.schedulerId = schedulerId;
    this.lease = lease;
  }

  boolean isLeading() {
    return leading;
  }

  /** Whether another is known to lead. When nothing is known, because Redis is away, it is not. */
  boolean isFollowing() {
    return following;
  }

  /** Leads these entries, if no other does. */
  boolean check(Collection<String> names) {
    String newGroup = groupOf(names);
    if (!newGroup.equals(group)) {
      resign();
      group = newGroup;
    }
    boolean leads = ledger.lead(group, schedulerId, lease);
    if (leads != leading) {
      log.info(
          leads
              ? "this scheduler ({}) now enqueues for its {} entries"
              : "another scheduler than this ({}) now enqueues for its {} entries",
          schedulerId,
          names.size());
    }
    leading = leads;
    following = !leads;
    return leads;
  }

  void resign() {
    if (leading) {
      leading = false;
      ledger.resign(group, schedulerId);
    }
  }

  private static String groupOf(Collection<String> names) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String name : new TreeSet<>(names)) {
        // With its length before it, so that no two lists of names are the same text.
        digest.update((name.length() + ":" + name).getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256, which every JVM must have", e);
    }
  }
}
