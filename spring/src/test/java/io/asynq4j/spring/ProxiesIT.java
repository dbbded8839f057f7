package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import java.io.IOException;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Handlers of proxied beans run in their transactions. */
class ProxiesIT {

  record Booking(int seat) {}

  record Cancellation(int seat) {}

  /** Proxied by a subclass. */
  @Transactional(rollbackFor = IOException.class)
  static class Bookings {

    private final JdbcTemplate jdbc;

    Bookings(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @TaskHandler(value = "book", retention = "1h")
    int book(Booking booking) throws IOException {
      jdbc.update("insert into seats values (?)", booking.seat());
      if (booking.seat() > 100) {
        throw new IOException("no seat " + booking.seat());
      }
      return booking.seat();
    }
  }

  interface Cancellations {

    @TaskHandler(value = "cancel", retention = "1h")
    int cancel(Cancellation cancellation) throws IOException;
  }

  /** Proxied by its interface. */
  @Transactional(rollbackFor = IOException.class)
  static class JdbcCancellations implements Cancellations {

    private final JdbcTemplate jdbc;

    JdbcCancellations(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    public int cancel(Cancellation cancellation) throws IOException {
      int deleted = jdbc.update("delete from seats where seat = ?", cancellation.seat());
      if (deleted == 0) {
        throw new IOException("seat " + cancellation.seat() + " is free");
      }
      return deleted;
    }
  }

  @Configuration
  @EnableTransactionManagement
  static class Database {

    @Bean
    DataSource dataSource() {
      JdbcDataSource h2 = new JdbcDataSource();
      h2.setURL("jdbc:h2:mem:seats;DB_CLOSE_DELAY=-1");
      return h2;
    }

    @Bean
    PlatformTransactionManager transactions(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("create table seats (seat int primary key)");
      return jdbc;
    }
  }

  @Test
  void transactionsCommitWithTheHandlerAndRollBackWithItsException() {
    try (TestApp app = TestApp.start(Database.class, Bookings.class, JdbcCancellations.class)) {
      assertThat(AopUtils.isCglibProxy(app.bean(Bookings.class))).isTrue();
      assertThat(AopUtils.isJdkDynamicProxy(app.bean(Cancellations.class))).isTrue();

      assertThat(app.result(app.enqueue(new Booking(7)))).isEqualTo("7");
      TaskInfo failed = app.await(app.enqueue(new Booking(101)), TaskState.RETRY);

      assertThat(failed.lastError()).isEqualTo("java.io.IOException: no seat 101");
      JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
      assertThat(jdbc.queryForList("select seat from seats", Integer.class)).containsExactly(7);
      assertThat(app.result(app.enqueue(new Cancellation(7)))).isEqualTo("1");
      assertThat(app.await(app.enqueue(new Cancellation(8)), TaskState.RETRY).lastError())
          .isEqualTo("java.io.IOException: seat 8 is free");
    }
  }

  interface Ping {

    String ping();
  }

  record PlainPing() implements Ping {

    @Override
    @TaskHandler("ping")
    public String ping() {
      return "ping";
    }
  }

  /** Proxies by Spring know their target; those of Java do not. */
  static class Proxying implements BeanPostProcessor {

    private final boolean bySpring;

    Proxying(boolean bySpring) {
      this.bySpring = bySpring;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      if (!(bean instanceof Ping)) {
        return bean;
      }
      return bySpring
          ? ProxyFactory.getProxy(Ping.class, new SingletonTargetSource(bean))
          : Proxy.newProxyInstance(
              Ping.class.getClassLoader(),
              new Class<?>[] {Ping.class},
              (proxy, method, arguments) -> method.invoke(bean, arguments) + " by proxy");
    }
  }

  static class SpringProxies {

    @Bean
    static BeanPostProcessor proxying() {
      return new Proxying(true);
    }

    @Bean
    Ping ping() {
      return new PlainPing();
    }
  }

  static class JavaProxies {

    @Bean
    static BeanPostProcessor proxying() {
      return new Proxying(false);
    }

    @Bean
    PlainPing ping() {
      return new PlainPing();
    }
  }

  @Test
  void proxiesOfAnyPostProcessorHandleTheTasksOfTheirTarget() {
    try (TestApp app = TestApp.start(SpringProxies.class)) {
      assertThat(app.resultOf("ping")).isEqualTo("\"ping\"");
    }
    try (TestApp app = TestApp.start(JavaProxies.class)) {
      assertThat(app.resultOf("ping")).isEqualTo("\"ping by proxy\"");
    }
  }
}
