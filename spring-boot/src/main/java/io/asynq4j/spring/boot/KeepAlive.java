package io.asynq4j.spring.boot;

import io.asynq4j.spring.TaskServers;
import io.asynq4j.spring.internal.TaskBeanRunner;
import java.util.concurrent.CountDownLatch;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;

/**
 * Keeps the JVM alive while servers or the scheduler run, as the threads of a web server or of
 * {@code @Scheduled} do. All their own threads are daemons.
 */
final class KeepAlive implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private final TaskServers servers;
  private final BeanFactory beans;
  private final CountDownLatch closed = new CountDownLatch(1);

  KeepAlive(TaskServers servers, BeanFactory beans) {
    this.servers = servers;
    this.beans = beans;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    boolean runsServer =
        servers.names().stream().anyMatch(server -> servers.find(server).isPresent());
    if (runsServer || runsScheduler()) {
      Thread thread = new Thread(this::awaitClose, "asynq-keep-alive");
      thread.setDaemon(false);
      thread.start();
    }
  }

  private boolean runsScheduler() {
    return beans.containsBean(TaskBeanRunner.SCHEDULER_BEAN)
        && beans.getBean(TaskBeanRunner.SCHEDULER_BEAN, Lifecycle.class).isRunning();
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
