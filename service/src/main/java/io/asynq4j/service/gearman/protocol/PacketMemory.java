package io.asynq4j.service.gearman.protocol;

/**
 * Limits the memory for packets of all connections together: many peers that each use their maximum
 * must not exhaust the heap. Only for the event loop's thread.
 */
final class PacketMemory {

  /** Sufficient for all packets in transit; a large heap is for other purposes. */
  private static final long MAX = 256L << 20;

  private final long limit;
  private long used;

  PacketMemory(long limit) {
    this.limit = limit;
  }

  /** A quarter of the maximum heap, and at most 256 MiB. */
  static PacketMemory ofHeap(long heap) {
    return new PacketMemory(Math.min(heap / 4, MAX));
  }

  /** Returns false when less is left. */
  boolean reserve(long bytes) {
    if (bytes > limit - used) {
      return false;
    }
    used += bytes;
    return true;
  }

  /** Counts memory that is in use already. */
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
