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
    if (put(slots, hash(id))) {
      size++;
      return true;
    }
    return false;
  }

  public boolean contains(String id) {
    long hash = hash(id);
    int mask = slots.length - 1;
    for (int i = (int) hash & mask; slots[i] != 0; i = (i + 1) & mask) {
      if (slots[i] == hash) {
        return true;
      }
    }
    return false;
  }

  int size() {
    return size;
  }

  private void grow() {
    long[] larger = new long[slots.length * 2];
    for (long hash : slots) {
      if (hash != 0) {
        put(larger, hash);
      }
    }
    slots = larger;
  }

  private static boolean put(long[] slots, long hash) {
    int mask = slots.length - 1;
    int i = (int) hash & mask;
    while (slots[i] != 0) {
      if (slots[i] == hash) {
        return false;
      }
      i = (i + 1) & mask;
    }
    slots[i] = hash;
    return true;
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
