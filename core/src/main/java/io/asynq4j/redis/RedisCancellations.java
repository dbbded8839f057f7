package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.broker.Cancellations;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The channel for cancellations. */
final class RedisCancellations implements Cancellations {

  /** A subscription that hears nothing for so long, not even answers to its pings, is dead. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(RedisCancellations.class);

  private static final Duration PING_INTERVAL = SILENCE.dividedBy(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long CONFIRMATION_SECONDS = 5;

  private final Link link;

  RedisCancellations(Link link) {
    this.link = link;
  }

  @Override
  public void publish(String taskId) {
    link.call(
        Keys.CANCEL_CHANNEL,
        Repeat.NEVER,
        Protocol.Command.PUBLISH,
        new Args().add(Keys.CANCEL_CHANNEL).add(taskId));
  }

  @Override
  public Subscription subscribe(Consumer<String> listener) {
    Subscriber subscriber = new Subscriber(listener);
    subscriber.start();
    return subscriber;
  }

  private final class Subscriber extends JedisPubSub implements Subscription {
    private final Consumer<String> listener;
    private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
    private final Thread thread = new Thread(this::listen, "asynq-cancellations");
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile @Nullable Connection connection;

    Subscriber(Consumer<String> listener) {
      this.listener = listener;
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
      try {
        confirmed.get(CONFIRMATION_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        refused(e.getCause());
      } catch (TimeoutException e) {
        close();
        throw new BrokerUnavailableException(
            "Redis has not confirmed the subscription to " + Keys.CANCEL_CHANNEL, false, e);
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
            "this Redis user must not subscribe to {}, so running tasks cannot be cancelled from"
                + " elsewhere; allow it with +subscribe and &{}",
            Keys.CANCEL_CHANNEL,
            Keys.CANCEL_CHANNEL);
      } else if (e instanceof RuntimeException failure) {
        throw failure;
      }
    }

    private void listen() {
      while (!closed) {
        try (Connection own = link.open(Keys.slot(Keys.CANCEL_CHANNEL))) {
          connection = own;
          try {
            // Looked at again, since whoever closed it meanwhile found no connection to break.
            if (!closed) {
              pingLater(own);
              proceed(own, Keys.CANCEL_CHANNEL);
            }
          } finally {
            forget();
          }
        } catch (JedisDataException e) {
          failed(link.answered(e));
        } catch (JedisException | BrokerException e) {
          failed(e);
        } catch (IllegalStateException e) {
          // The link was closed, and does not come back.
          closed = true;
          confirmed.completeExceptionally(e);
        }
      }
    }

    private void pingLater(Connection own) {
      CompletableFuture.delayedExecutor(PING_INTERVAL.toSeconds(), TimeUnit.SECONDS)
          .execute(() -> ping(own));
    }

    /** Never on a connection that is over: to send something would open it again, for nobody. */
    private synchronized void ping(Connection own) {
      if (!closed && connection == own) {
        try {
          ping();
          pingLater(own);
        } catch (JedisException e) {
          log.debug("the subscription to cancellations is lost; its reader notices", e);
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
                    "cannot subscribe to " + Keys.CANCEL_CHANNEL + ": " + e.getMessage(),
                    false,
                    e));
        return;
      }
      if (!lost) {
        lost = true;
        log.warn("lost the subscription to cancellations, subscribing again: {}", e.getMessage());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }

    @Override
    public void onSubscribe(String channel, int subscribedChannels) {
      if (closed) {
        // Jedis has connected again: whoever closed this cut the connection before it subscribed.
        unsubscribe();
        return;
      }
      if (lost) {
        lost = false;
        log.info("subscribed to cancellations again");
      }
      confirmed.complete(null);
    }

    @Override
    public void onMessage(String channel, String taskId) {
      try {
        listener.accept(taskId);
      } catch (RuntimeException e) {
        log.error("the listener for cancellations failed on task {}", taskId, e);
      }
    }

    @Override
    public void close() {
      closed = true;
      Connection current = connection;
      if (current != null) {
        try {
          current.forceDisconnect();
        } catch (IOException e) {
          log.debug("closing the subscription", e);
        }
      }
      LockSupport.unpark(thread);
    }
  }
}
