package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects the scheduler that fires a set of entries. Schedulers with the same entry names share one
 * leader, so schedulers of different programs never wait for each other. Used by one thread, except
 * for {@link #isLeading}.
 */
final class LeaderElection {

  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

  private final ScheduleLedger ledger;
  private final LaneExecutor lanes;
  private final Lane lane;
  private final String schedulerId;
  private final Duration lease;
  private String group = "";
  private volatile boolean leading;
  private boolean following;

  LeaderElection(ScheduleLedger ledger, LaneExecutor lanes, String schedulerId, Duration lease) {
    this.ledger = ledger;
    this.lanes = lanes;
    this.lane = lanes.of(Purpose.LEADERSHIP);
    this.schedulerId = schedulerId;
    this.lease = lease;
  }

  boolean isLeading() {
    return leading;
  }

  /**
   * Returns whether another scheduler is known to lead. False if that is unknown because Redis is
   * unavailable.
   */
  boolean isFollowing() {
    return following;
  }

  /**
   * Becomes leader of these entries unless another one leads. A leader continues until another one
   * is known to lead: leadership only saves work, and the leader's key may be on an unresponsive
   * server.
   *
   * @param lost called when another scheduler leads
   */
  void check(Collection<String> names, Runnable lost, Consumer<Throwable> failed) {
    String left = group;
    String next = groupOf(names);
    boolean resigns = leading && !next.equals(left);
    lanes.run(
        lane,
        () -> {
          if (resigns) {
            ledger.resign(left, schedulerId);
          }
          return ledger.lead(next, schedulerId, lease);
        },
        leads -> {
          if (leads != leading) {
            log.info(
                leads
                    ? "this scheduler ({}) now leads and enqueues for its {} entries"
                    : "a scheduler other than this one ({}) now leads and enqueues for its {} entries",
                schedulerId,
                names.size());
          }
          group = next;
          leading = leads;
          following = !leads;
          if (!leads) {
            lost.run();
          }
        },
        failed);
  }

  /**
   * Gives up leadership. Returns whether Redis was notified: in a cluster, the server of the key
   * may be unresponsive.
   */
  boolean resign() {
    if (!leading) {
      return true;
    }
    leading = false;
    String left = group;
    return lanes.run(lane, () -> ledger.resign(left, schedulerId), () -> {}, failure -> {});
  }

  private static String groupOf(Collection<String> names) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String name : new TreeSet<>(names)) {
        // With a length prefix, so that no two lists of names have the same text.
        digest.update((name.length() + ":" + name).getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM provides no SHA-256, which every JVM must have", e);
    }
  }
}
