package io.asynq4j.benchmarks.harness;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A child process that ends when its input is closed. */
public abstract class ChildProcess implements AutoCloseable {

  private static final Duration END = Duration.ofSeconds(20);

  protected final Process process;

  protected ChildProcess(Process process) {
    this.process = process;
  }

  /** CPU time used so far. */
  public final Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Kills the process and waits until it has ended. */
  public final void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the input, so that the process ends. */
  @Override
  public final void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        kill();
      }
    } catch (IOException e) {
      kill();
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
  }
}
