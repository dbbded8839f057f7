package io.asynq4j.spring.boot;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Objects;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Application contexts for tests of the auto-configuration, on both versions of Spring Boot. */
final class Contexts {

  private Contexts() {}

  static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AsynqAutoConfiguration.class, AsynqEmbeddedAutoConfiguration.class));
  }

  /** Adds the connection details of the version of Spring Boot. */
  static ApplicationContextRunner withSpringDataRedis(ApplicationContextRunner runner) {
    return runner.withConfiguration(
        AutoConfigurations.of(
            found(
                "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration")));
  }

  /** Returns the first of these classes that this version of Spring Boot has. */
  static Class<?> found(String... names) {
    for (String name : names) {
      if (ClassUtils.isPresent(name, Contexts.class.getClassLoader())) {
        return ClassUtils.resolveClassName(name, Contexts.class.getClassLoader());
      }
    }
    throw new AssertionError("none is present: " + String.join(", ", names));
  }

  static InvalidAsynqSettingException invalidSetting(@Nullable Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof InvalidAsynqSettingException invalid) {
        return invalid;
      }
    }
    throw new AssertionError("not about a setting", failure);
  }

  /** Writes a PKCS12 store with a certificate that the JVM trusts. */
  static String keyStore(String password) throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init((KeyStore) null);
    Certificate certificate = null;
    for (TrustManager manager : trust.getTrustManagers()) {
      certificate = ((X509TrustManager) manager).getAcceptedIssuers()[0];
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("redis", Objects.requireNonNull(certificate));
    Path file = Files.createTempFile("trusted", ".p12");
    file.toFile().deleteOnExit();
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, password.toCharArray());
    }
    return file.toString();
  }
}
