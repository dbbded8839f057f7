package io.asynq4j.spring.boot;

import io.asynq4j.spring.TaskServers;
import java.util.concurrent.CountDownLatch;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Keeps the JVM alive while servers run, as the threads of a web server or of {@code @Scheduled}
 * do. All threads of servers are daemons.
 */
final class KeepAlive implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private final TaskServers servers;
  private final CountDownLatch closed = new CountDownLatch(1);

  KeepAlive(TaskServers servers) {
    this.servers = servers;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    boolean runsAny = servers.names().stream().anyMatch(server -> servers.find(server).isPresent());
    if (runsAny) {
      Thread thread = new Thread(this::awaitClose, "asynq-keep-alive");
      thread.setDaemon(false);
      thread.start();
    }
  }

  private void awaitClose() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void destroy() {
    closed.countDown();
  }
}
