package io.asynq4j.internal.inspect;

/**
 * A compact set of very many IDs: it stores a 64-bit hash of each. Two IDs collide once in a
 * hundred thousand scans of a queue of ten million tasks. Not thread-safe.
 */
public final class HashedIdSet {

  private static final int SMALLEST = 64;

  private long[] slots = new long[SMALLEST];
  private int size;

  /** Returns false if the ID was already present. */
  public boolean add(String id) {
    if (size * 4L >= slots.length * 3L) {
      grow();
    }
    long hash = hash(id);
    int slot = slotOf(slots, hash);
    if (slots[slot] == hash) {
      return false;
    }
    slots[slot] = hash;
    size++;
    return true;
  }

  public boolean contains(String id) {
    long hash = hash(id);
    return slots[slotOf(slots, hash)] == hash;
  }

  private void grow() {
    long[] larger = new long[slots.length * 2];
    for (long hash : slots) {
      if (hash != 0) {
        larger[slotOf(larger, hash)] = hash;
      }
    }
    slots = larger;
  }

  /** Returns the slot that has the hash, or the empty one where it belongs. */
  private static int slotOf(long[] slots, long hash) {
    int mask = slots.length - 1;
    int slot = (int) hash & mask;
    while (slots[slot] != 0 && slots[slot] != hash) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /**
   * FNV-1a over the characters, then mixed, since the last characters hardly affect its upper half.
   */
  private static long hash(String id) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < id.length(); i++) {
      hash = (hash ^ id.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    // 0 marks an empty slot.
    return hash == 0 ? 1 : hash;
  }
}
