package io.asynq4j.redis;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.broker.Cancellations;
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
import redis.clients.jedis.exceptions.JedisException;

/** The channel for cancellations. */
final class RedisCancellations implements Cancellations {

  private static final Logger log = LoggerFactory.getLogger(RedisCancellations.class);

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
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
    private volatile @Nullable Connection connection;

    Subscriber(Consumer<String> listener) {
      this.listener = listener;
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
      try {
        confirmed.get(CONFIRMATION_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        close();
        throw new BrokerUnavailableException(
            "cannot subscribe to " + Keys.CANCEL_CHANNEL + ": " + e.getMessage(), false, e);
      } catch (InterruptedException e) {
        close();
        Thread.currentThread().interrupt();
        throw new BrokerUnavailableException("interrupted while subscribing", false, e);
      }
    }

    private void listen() {
      while (!closed) {
        try (Connection own = link.nodes().open(Keys.slot(Keys.CANCEL_CHANNEL))) {
          connection = own;
          own.setTimeoutInfinite();
          proceed(own, Keys.CANCEL_CHANNEL);
        } catch (JedisException e) {
          failed(e);
        }
      }
    }

    private void failed(JedisException e) {
      if (closed) {
        return;
      }
      if (!confirmed.isDone()) {
        // The first subscription: whoever asked for it hears why not, and decides.
        closed = true;
        confirmed.completeExceptionally(e);
        return;
      }
      log.warn("lost the subscription to cancellations, subscribing again: {}", e.getMessage());
      LockSupport.parkNanos(PAUSE_NANOS);
    }

    @Override
    public void onSubscribe(String channel, int subscribedChannels) {
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
        } catch (java.io.IOException e) {
          log.debug("closing the subscription", e);
        }
      }
      LockSupport.unpark(thread);
    }
  }
}
