package io.asynq4j.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long processors of this machine were kept waiting since it started, because another virtual
 * machine had the hardware, out of all their time. In the system's ticks.
 */
record CpuStealTime(long stolen, long all) {

  private static final Path STATISTICS = Path.of("/proc/stat");

  /** Where "steal" stands in the line of all processors; guests behind it are in other times. */
  private static final int STOLEN = 8;

  private static final int END = STOLEN + 1;

  /** Nothing, where the system does not tell. */
  static CpuStealTime now() {
    try {
      return Files.isReadable(STATISTICS)
          ? parse(Files.readAllLines(STATISTICS).get(0))
          : new CpuStealTime(0, 0);
    } catch (IOException e) {
      return new CpuStealTime(0, 0);
    }
  }

  static CpuStealTime parse(String line) {
    String[] words = line.split(" +", -1);
    if (words.length < END) {
      return new CpuStealTime(0, 0);
    }
    long all = 0;
    for (int i = 1; i < END; i++) {
      all += Long.parseLong(words[i]);
    }
    return new CpuStealTime(Long.parseLong(words[STOLEN]), all);
  }

  /** The part of the time since then that was stolen, from 0 to 1. */
  double shareSince(CpuStealTime before) {
    long passed = all - before.all;
    return passed <= 0 ? 0 : (stolen - before.stolen) / (double) passed;
  }
}
