package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpNetworkTest {

  private static InetAddress address(String literal) {
    return IpNetwork.literal(literal).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16, 10.1.255.3, true",
    "10.1.0.0/16, 10.2.0.1, false",
    "10.0.0.0/9, 10.127.0.1, true",
    "10.0.0.0/9, 10.128.0.1, false",
    "0.0.0.0/0, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "fd00::/8, fd12::1, true",
    "fd00::/8, 10.0.0.1, false",
    "::1, [0:0:0:0:0:0:0:1], true",
  })
  void containsTheAddressesThatShareItsBits(String network, String literal, boolean contains) {
    assertThat(IpNetwork.parse(network).contains(address(literal))).isEqualTo(contains);
  }

  @Test
  void anIpv6CustomerIsASixtyFourAndAnIpv4CustomerAnAddress() {
    assertThat(IpNetwork.siteOf(address("2001:db8:1:2:3:4:5:6")))
        .isEqualTo(IpNetwork.siteOf(address("2001:db8:1:2::9")))
        .isNotEqualTo(IpNetwork.siteOf(address("2001:db8:1:3::9")));
    assertThat(IpNetwork.siteOf(address("192.0.2.1")))
        .isNotEqualTo(IpNetwork.siteOf(address("192.0.2.2")));
    // An IPv4 address written as an IPv6 address is the same client.
    assertThat(IpNetwork.siteOf(address("::ffff:192.0.2.1")))
        .isEqualTo(IpNetwork.siteOf(address("192.0.2.1")));
  }

  /** DNS would be asked for them, and would find those that exist. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a.b.c.de",
        "999.1.1.1",
        ".1.2.3",
        "1.2.3.",
        "1.2.3.4.",
        "localhost",
        "dead.beef.fade.de",
        "::g",
        "1:2",
        "127.1",
        ""
      })
  void whatIsNoAddressIsNeverTakenForAName(String text) {
    assertThat(IpNetwork.literal(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"proxy.example", "", "10.0.0.1/33", "10", "::1/129", "1.2.3.4.5", "/8"})
  void namesAndImpossibleNetworksAreRefused(String text) {
    assertThatThrownBy(() -> IpNetwork.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
