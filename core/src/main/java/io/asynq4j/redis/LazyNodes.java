package io.asynq4j.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/**
 * Finds out about the servers when they are first needed, and again each time until that has
 * worked.
 */
final class LazyNodes implements Nodes {

  private final Supplier<Nodes> finder;
  private volatile @Nullable Nodes found;
  private boolean closed;

  LazyNodes(Supplier<Nodes> finder) {
    this.finder = finder;
  }

  private Nodes nodes() {
    Nodes nodes = found;
    return nodes != null ? nodes : find();
  }

  private synchronized Nodes find() {
    if (closed) {
      throw new IllegalStateException("this connection to Redis has been closed");
    }
    Nodes nodes = found;
    if (nodes == null) {
      nodes = finder.get();
      found = nodes;
    }
    return nodes;
  }

  @Override
  public Connection connect(int slot) {
    return nodes().connect(slot);
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return nodes().connectTo(node);
  }

  @Override
  public Connection open(int slot) {
    return nodes().open(slot);
  }

  @Override
  public void refresh() {
    Nodes nodes = found;
    if (nodes != null) {
      nodes.refresh();
    }
  }

  @Override
  public void dropIdle() {
    Nodes nodes = found;
    if (nodes != null) {
      nodes.dropIdle();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    Nodes nodes = found;
    if (nodes != null) {
      nodes.close();
    }
  }
}
