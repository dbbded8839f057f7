package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HttpExchangeTest {

  private static final class TestExchange extends HttpExchange {
    TestExchange(HttpServletRequest request) {
      super(request, Map.of("id", "a b"), TestProblems.INSTANCE);
    }
  }

  private static final class Body extends ServletInputStream {
    private final ByteArrayInputStream bytes;

    Body(int size) {
      this.bytes = new ByteArrayInputStream(new byte[size]);
    }

    @Override
    public int read() {
      return bytes.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      return bytes.read(buffer, offset, length);
    }

    @Override
    public boolean isFinished() {
      return bytes.available() == 0;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new UnsupportedOperationException();
    }
  }

  /** A request of unknown length. */
  private static HttpExchange exchange(@Nullable String query, int bodySize) {
    return new TestExchange(
        (HttpServletRequest)
            Proxy.newProxyInstance(
                HttpExchangeTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getQueryString" -> query;
                      case "getContentLengthLong" -> -1L;
                      case "getInputStream" -> new Body(bodySize);
                      case "getContentType" -> "Application/JSON; charset=utf-8";
                      default -> throw new UnsupportedOperationException(method.getName());
                    }));
  }

  @Test
  void readsParametersOfTheUrl() {
    HttpExchange exchange = exchange("a=1&b=x%20y+z&empty=&alone&a=2", 0);
    assertThat(exchange.query("a")).contains("1");
    assertThat(exchange.query("b")).contains("x y z");
    assertThat(exchange.query("empty")).contains("");
    assertThat(exchange.query("alone")).contains("");
    assertThat(exchange.query("none")).isEmpty();
    assertThat(exchange.param("empty")).isNull();
    assertThat(exchange.param("none", "x")).isEqualTo("x");
    assertThat(exchange.integer("a", 5, 0, 9)).isEqualTo(1);
    assertThat(exchange.integer("none", 5, 0, 9)).isEqualTo(5);
    assertThat(exchange.flag("a")).isTrue();
    assertThat(exchange.path("id")).isEqualTo("a b");
    assertThat(exchange.contentType()).isEqualTo("application/json");
  }

  @Test
  void refusesParametersThatMakeNoSense() {
    assertThatThrownBy(() -> exchange("a=%zz", 0).query("a"))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("%");
    assertThatThrownBy(() -> exchange("a=x", 0).integer("a", 5, 0, 9))
        .isInstanceOf(Problem.class)
        .hasMessage("\"a\" must be a whole number from 0 to 9, got \"x\"");
    assertThatThrownBy(() -> exchange("a=10", 0).integer("a", 5, 0, 9)).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> exchange("a=perhaps", 0).flag("a")).isInstanceOf(Problem.class);
  }

  @Test
  void readsABodyUpToItsLimit() throws Exception {
    assertThat(exchange(null, 10_000).body(10_000)).hasSize(10_000);
    assertThatThrownBy(() -> exchange(null, 10_001).body(10_000))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(413));
  }
}
