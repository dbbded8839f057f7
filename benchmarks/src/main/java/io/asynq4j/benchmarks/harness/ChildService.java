package io.asynq4j.benchmarks.harness;

import io.asynq4j.service.ServiceConfig;
import io.asynq4j.service.TaskService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A replica of the task service in a child process, so that its cost is measured apart from that of
 * its clients. Thread-safe.
 */
public final class ChildService implements AutoCloseable {

  /** Heap in use after a garbage collection. */
  public record Holding(long heapBytes, int threads) {}

  private static final String COLLECT = "collect";

  private final ChildJvm process;
  private final URI uri;

  private ChildService(ChildJvm process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  public static ChildService start(String redis) {
    ChildJvm process = ChildJvm.start(ChildService.class, List.of(redis));
    return new ChildService(process, URI.create(line(process)));
  }

  private static String line(ChildJvm process) {
    try {
      String line = process.output().readLine();
      if (line == null) {
        throw new IllegalStateException("the process of the service has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the output of the service", e);
    }
  }

  public URI uri() {
    return uri;
  }

  public Duration cpu() {
    return process.cpu();
  }

  public synchronized Holding holding() {
    process.writeLine(COLLECT);
    String[] words = line(process).split(" ", 2);
    return new Holding(Long.parseLong(words[0]), Integer.parseInt(words[1]));
  }

  @Override
  public void close() {
    process.close();
  }

  /** Argument: URL of Redis. Prints the address of the service, and its heap size on request. */
  public static void main(String[] arguments) throws IOException {
    // Output of libraries must not be mixed with the answers.
    PrintStream out = System.out;
    System.setOut(System.err);
    ServiceConfig config =
        ServiceConfig.parse(
            "bench.yaml",
            """
            redis: { url: "%s" }
            listen: { port: 0 }
            tasks: { work: { kind: worker } }
            """
                .formatted(arguments[0]),
            Map.of());
    try (TaskService service = TaskService.start(config);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      out.println(service.uri());
      // Until the parent closes the input or ends.
      while (COLLECT.equals(in.readLine())) {
        System.gc();
        out.println(
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + " "
                + ManagementFactory.getThreadMXBean().getThreadCount());
      }
    }
  }
}
