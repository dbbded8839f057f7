package io.asynq4j.internal.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Resolves the servers on first use, and again on each use until it succeeds. Concurrent callers
 * share one resolution; in sequence they would wait many times as long.
 */
final class LazyNodes implements AutoCloseable {

  private final Supplier<RedisNodes> finder;
  private volatile @Nullable RedisNodes found;
  private CompletableFuture<RedisNodes> search =
      CompletableFuture.failedFuture(new IllegalStateException("not tried yet"));
  private boolean closed;

  LazyNodes(Supplier<RedisNodes> finder) {
    this.finder = finder;
  }

  /** Returns the servers if they are resolved, without a call. */
  @Nullable RedisNodes known() {
    return found;
  }

  RedisNodes get() {
    RedisNodes nodes = found;
    if (nodes != null) {
      return nodes;
    }
    CompletableFuture<RedisNodes> mine = new CompletableFuture<>();
    CompletableFuture<RedisNodes> shared;
    synchronized (this) {
      search = search.isCompletedExceptionally() ? mine : search;
      shared = search;
    }
    if (shared == mine) {
      try {
        RedisNodes resolved = finder.get();
        synchronized (this) {
          found = resolved;
          if (closed) {
            resolved.close();
          }
        }
        mine.complete(resolved);
      } catch (Throwable e) {
        // Also for errors, such as a failure to start a thread: the next caller tries again.
        mine.completeExceptionally(e);
      }
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

  @Override
  public synchronized void close() {
    closed = true;
    RedisNodes nodes = found;
    if (nodes != null) {
      nodes.close();
    }
  }
}
