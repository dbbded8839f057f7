package io.asynq4j.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Steal time of this machine since boot: time that its CPUs waited because the hypervisor ran
 * another virtual machine, and total CPU time. In system ticks.
 */
record CpuStealTime(long stolen, long all) {

  private static final Path STATISTICS = Path.of("/proc/stat");

  /**
   * Index of "steal" in the line of all CPUs; the guest values after it are part of other values.
   */
  private static final int STOLEN = 8;

  private static final int END = STOLEN + 1;

  /** Empty if the system does not report it. */
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

  /** Share of stolen time since then, from 0 to 1. */
  double shareSince(CpuStealTime before) {
    long passed = all - before.all;
    return passed <= 0 ? 0 : (stolen - before.stolen) / (double) passed;
  }
}
