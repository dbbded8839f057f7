package io.asynq4j.service.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostsTest {

  private static final AllowedHosts HOSTS =
      new AllowedHosts(List.of("api.example.com", "10.1.0.0/16", "::1"));

  @Test
  void hostsAreAllowedByNameAndAddressesByRange() {
    assertThat(HOSTS.allowsHost("API.example.com")).isTrue();
    assertThat(HOSTS.allowsHost("evil-api.example.com")).isFalse();
    assertThat(HOSTS.allowsHost("example.com")).isFalse();
    assertThat(HOSTS.allowsHost("10.1.2.3")).isTrue();
    assertThat(HOSTS.allowsHost("10.2.0.1")).isFalse();
    assertThat(HOSTS.allowsHost("[::1]")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1", "0.0.0.0", "169.254.169.254", "192.168.0.1", "10.2.0.1", "172.16.0.1",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "::", "fe80::1", "fd00::1",
        "64:ff9b::7f00:1", "::ffff:127.0.0.1"
      })
  void aNameThatDnsLeadsToAnInnerAddressIsNotFollowed(String address) throws Exception {
    assertThat(HOSTS.refusal("api.example.com", InetAddress.getByName(address))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"93.184.216.34", "10.1.2.3", "2606:2800:220:1::1", "::1"})
  void publicAddressesAndThoseOfARangeAreReached(String address) throws Exception {
    assertThat(HOSTS.refusal("api.example.com", InetAddress.getByName(address))).isEmpty();
  }
}
