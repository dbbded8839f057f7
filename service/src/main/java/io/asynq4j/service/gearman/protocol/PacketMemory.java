package io.asynq4j.service.gearman.protocol;

/**
 * The memory that packets of all connections take together: many peers that each send or leave
 * unread as much as they may must not take all there is. Only for the loop's thread.
 */
final class PacketMemory {

  /** Whatever is under way at once is less, and a large heap is for other things. */
  private static final long MOST = 256L << 20;

  private final long limit;
  private long used;

  PacketMemory(long limit) {
    this.limit = limit;
  }

  /** A quarter of what this process may have, and 256 MiB at most. */
  static PacketMemory ofHeap(long heap) {
    return new PacketMemory(Math.min(heap / 4, MOST));
  }

  /** False when there is not so much left. */
  boolean take(long bytes) {
    if (bytes > limit - used) {
      return false;
    }
    used += bytes;
    return true;
  }

  /** Counts what is there already. */
  void add(long bytes) {
    used += bytes;
  }

  void free(long bytes) {
    used -= bytes;
  }

  long used() {
    return used;
  }
}
