package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.text.SafeLog;
import java.nio.charset.StandardCharsets;
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

/** Listens to channels on a connection of its own, and subscribes again when that is lost. */
public final class ChannelSubscription extends BinaryJedisPubSub implements Subscription {

  /** A subscription that hears nothing for so long, not even answers to its pings, is dead. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(ChannelSubscription.class);

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
   * @param channels one or more; in a cluster, the node of the first is asked
   * @param subject what is told there, for people
   * @param permission the pattern of an ACL that allows it
   * @param consequence of not being allowed to listen, for people
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
    this.thread = new Thread(this::listen, "asynq-" + subject);
    thread.setDaemon(true);
  }

  private String names() {
    return String.join(" and ", channels);
  }

  private byte[][] channelBytes() {
    return channels.stream()
        .map(channel -> channel.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  /** Returns when Redis has confirmed it, or refused, which is told as a warning. */
  public void start() {
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
  }

  private void refused(@Nullable Throwable e) {
    if (e instanceof BrokerRefusedException
        && e.getCause() instanceof JedisDataException answer
        && RedisError.of(answer) == RedisError.NOPERM) {
      log.warn(
          "this Redis user must not subscribe to {}, so {}; allow it with +subscribe and &{}",
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
        // Even after a lack of memory it must hear again.
        SafeLog.error(log, "a subscription failed and goes on", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void listenOnce() {
    try (DedicatedConnection own = link.open(RedisKeys.slot(channels.get(0)))) {
      connection = own;
      try {
        // Looked at again, since whoever closed it meanwhile found no connection to break.
        if (!closed) {
          pingLater(own);
          proceed(own, channelBytes());
        }
      } finally {
        forget();
      }
    } catch (JedisDataException e) {
      failed(link.answered(e));
    } catch (JedisException | BrokerException e) {
      failed(e);
    } catch (RuntimeException | Error e) {
      if (link.isOpen()) {
        failed(e instanceof RuntimeException failure ? failure : new IllegalStateException(e));
      } else {
        // It does not come back.
        closed = true;
        confirmed.completeExceptionally(e);
      }
    }
  }

  private void pingLater(DedicatedConnection own) {
    CompletableFuture.delayedExecutor(PING_INTERVAL.toSeconds(), TimeUnit.SECONDS)
        .execute(() -> ping(own));
  }

  /** Never on a connection that is over: to send something would open it again, for nobody. */
  private synchronized void ping(DedicatedConnection own) {
    if (!closed && connection == own) {
      try {
        ping();
        pingLater(own);
      } catch (JedisException e) {
        log.debug("the subscription to {} is lost; its reader notices", subject, e);
      }
    }
  }

  private synchronized void forget() {
    connection = null;
  }

  private void failed(RuntimeException e) {
    if (closed) {
      return;
    }
    if (!confirmed.isDone()) {
      // The first subscription: whoever asked for it hears why not, and decides.
      closed = true;
      confirmed.completeExceptionally(
          e instanceof BrokerException
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
      // Jedis has connected again: whoever closed this cut the connection before it subscribed.
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
