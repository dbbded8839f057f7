package io.asynq4j.service.tasks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Resolves host names to allowed addresses only. The connection uses the address returned here, so
 * DNS cannot change it between check and connection. Thread-safe.
 */
public final class AllowedHostsResolver implements SocketAddressResolver {

  private final SocketAddressResolver resolver;
  private final Supplier<AllowedHosts> allowed;

  public AllowedHostsResolver(SocketAddressResolver resolver, Supplier<AllowedHosts> allowed) {
    this.resolver = resolver;
    this.allowed = allowed;
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> promise) {
    resolver.resolve(
        host, port, context, Promise.from(found -> answer(host, found, promise), promise::failed));
  }

  private void answer(
      String host, List<InetSocketAddress> found, Promise<List<InetSocketAddress>> promise) {
    List<InetSocketAddress> fit = new ArrayList<>();
    String why = host + " has no address";
    for (InetSocketAddress address : found) {
      Optional<String> refusal =
          address.getAddress() == null
              ? Optional.of(why)
              : allowed.get().refusal(host, address.getAddress());
      if (refusal.isEmpty()) {
        fit.add(address);
      } else {
        why = refusal.get();
      }
    }
    if (fit.isEmpty()) {
      promise.failed(new IOException(why));
    } else {
      promise.succeeded(fit);
    }
  }
}
