package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * Listens to channels on a dedicated connection, and subscribes again when the connection is lost.
 */
public final class ChannelSubscription extends BinaryJedisPubSub implements Subscription {

  /** A subscription that receives nothing for this long, not even replies to its pings, is dead. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(ChannelSubscription.class);

  private static final String FAILED = SafeLog.text("a subscription failed; subscribing again");

  private static final Duration PING_INTERVAL = SILENCE.dividedBy(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long CONFIRMATION_SECONDS = 5;

  private final RedisCommandExecutor link;
  private final List<String> channels;
  private final String subject;
  private final String permission;
  private final String consequence;
  private final Consumer<byte[]> listener;
  private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean lost;
  private volatile @Nullable DedicatedConnection connection;

  /**
   * @param channels one or more; in a cluster, the node of the first one is used
   * @param subject what is sent there, for messages
   * @param permission the ACL pattern that allows the subscription
   * @param consequence of not being allowed to subscribe, for messages
   */
  public ChannelSubscription(
      RedisCommandExecutor link,
      List<String> channels,
      String subject,
      String permission,
      String consequence,
      Consumer<byte[]> listener) {
    this.link = link;
    this.channels = List.copyOf(channels);
    this.subject = subject;
    this.permission = permission;
    this.consequence = consequence;
    this.listener = listener;
    this.thread = DaemonThreadPools.factory("asynq-" + subject).newThread(this::listen);
  }

  private String names() {
    return String.join(" and ", channels);
  }

  /**
   * Returns this subscription when Redis has confirmed or refused it. A refusal is logged as a
   * warning.
   */
  public Subscription start() {
    thread.start();
    try {
      confirmed.get(CONFIRMATION_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      refused(e.getCause());
    } catch (TimeoutException e) {
      close();
      throw new BrokerUnavailableException(
          "Redis has not confirmed the subscription to " + names(), false, e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new BrokerUnavailableException("interrupted while subscribing", false, e);
    }
    return this;
  }

  private void refused(@Nullable Throwable e) {
    if (e instanceof BrokerRefusedException
        && e.getCause() instanceof JedisDataException answer
        && RedisError.of(answer) == RedisError.NOPERM) {
      log.warn(
          "this Redis user may not subscribe to {}, so {}; allow it with +subscribe and &{}",
          names(),
          consequence,
          permission);
    } else if (e instanceof RuntimeException failure) {
      throw failure;
    }
  }

  private void listen() {
    while (!closed) {
      try {
        listenOnce();
      } catch (RuntimeException | Error e) {
        // The subscription must continue even after an OutOfMemoryError.
        SafeLog.error(log, FAILED, e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void listenOnce() {
    int slot = RedisKeys.slot(channels.get(0));
    try (DedicatedConnection own = link.open(link.serverOf(slot))) {
      connection = own;
      try {
        // Checked again, since a concurrent close() found no connection to close.
        if (!closed) {
          pingLater(own);
          proceed(own, SafeEncoder.encodeMany(channels.toArray(String[]::new)));
        }
      } finally {
        synchronized (this) {
          connection = null;
        }
      }
    } catch (RuntimeException | Error e) {
      failed(e instanceof JedisDataException answer ? link.answered(answer) : e);
    }
  }

  private void pingLater(DedicatedConnection own) {
    CompletableFuture.delayedExecutor(PING_INTERVAL.toSeconds(), TimeUnit.SECONDS)
        .execute(() -> ping(own));
  }

  /** Never pings a closed connection: Jedis would reopen it, and it would leak. */
  private synchronized void ping(DedicatedConnection own) {
    if (!closed && connection == own) {
      try {
        ping();
        pingLater(own);
      } catch (JedisException e) {
        log.debug("the subscription to {} is lost; its reader reconnects", subject, e);
      }
    }
  }

  private void failed(Throwable e) {
    if (closed) {
      return;
    }
    if (!confirmed.isDone() || !link.isOpen()) {
      // The caller of the first subscription gets the cause and decides. A closed link stays
      // closed.
      closed = true;
      confirmed.completeExceptionally(
          e instanceof BrokerException || e instanceof IllegalStateException
              ? e
              : new BrokerUnavailableException(
                  "cannot subscribe to " + names() + ": " + e.getMessage(), false, e));
      return;
    }
    if (!lost) {
      lost = true;
      log.warn("lost the subscription to {}, subscribing again: {}", subject, e.getMessage());
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  @Override
  public void onSubscribe(byte[] channel, int subscribedChannels) {
    if (subscribedChannels < channels.size()) {
      return;
    }
    if (closed) {
      // Jedis has reconnected: close() closed the connection before it was subscribed.
      unsubscribe();
      return;
    }
    if (lost) {
      lost = false;
      log.info("subscribed to {} again", subject);
    }
    confirmed.complete(null);
  }

  @Override
  public void onMessage(byte[] channel, byte[] message) {
    try {
      listener.accept(message);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "the listener to " + subject + " failed on a message", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    DedicatedConnection current = connection;
    if (current != null) {
      current.cut();
    }
    LockSupport.unpark(thread);
  }
}
