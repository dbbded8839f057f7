package io.asynq4j.internal.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Resolves the servers on first use, and again on each use until it succeeds. Concurrent callers
 * share one resolution; in sequence they would wait many times as long.
 */
public final class LazyNodes implements RedisNodes {

  private final Supplier<RedisNodes> finder;
  private volatile @Nullable RedisNodes found;
  private @Nullable CompletableFuture<RedisNodes> search;
  private boolean closed;

  public LazyNodes(Supplier<RedisNodes> finder) {
    this.finder = finder;
  }

  private RedisNodes nodes() {
    RedisNodes nodes = found;
    return nodes != null ? nodes : find();
  }

  private RedisNodes find() {
    CompletableFuture<RedisNodes> mine = new CompletableFuture<>();
    CompletableFuture<RedisNodes> shared;
    synchronized (this) {
      shared = search == null ? mine : search;
      search = shared;
    }
    if (shared == mine) {
      look(mine);
    }
    try {
      return shared.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error && shared == mine) {
        throw error;
      }
      throw new JedisException(e.getCause());
    }
  }

  private void look(CompletableFuture<RedisNodes> result) {
    try {
      result.complete(keep(finder.get()));
    } catch (Throwable e) {
      // Also for errors, such as a failure to start a thread: the next caller tries again.
      synchronized (this) {
        search = null;
      }
      result.completeExceptionally(e);
    }
  }

  private synchronized RedisNodes keep(RedisNodes nodes) {
    if (closed) {
      nodes.close();
    }
    found = nodes;
    return nodes;
  }

  @Override
  public Connection connect(int slot) {
    return nodes().connect(slot);
  }

  @Override
  public Connection connectReserved(int slot) {
    return nodes().connectReserved(slot);
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return nodes().connectTo(node);
  }

  @Override
  public Server serverOf(int slot) {
    return nodes().serverOf(slot);
  }

  @Override
  public String shardOf(int slot) {
    RedisNodes nodes = found;
    return nodes == null ? "" : nodes.shardOf(slot);
  }

  @Override
  public boolean isKnownAsSharded() {
    RedisNodes nodes = found;
    return nodes != null && nodes.isKnownAsSharded();
  }

  @Override
  public boolean isSharded() {
    return nodes().isSharded();
  }

  @Override
  public void refresh() {
    RedisNodes nodes = found;
    if (nodes != null) {
      nodes.refresh();
    }
  }

  @Override
  public void dropIdle() {
    RedisNodes nodes = found;
    if (nodes != null) {
      nodes.dropIdle();
    }
  }

  @Override
  public void dropIdle(int slot) {
    RedisNodes nodes = found;
    if (nodes != null) {
      nodes.dropIdle(slot);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    RedisNodes nodes = found;
    if (nodes != null) {
      nodes.close();
    }
  }
}
