package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,        10.255.1.2,             true",
        "10.0.0.0/8,        11.0.0.1,               false",
        "10.0.0.0/8,        ::ffff:10.1.2.3,        true",
        "10.0.0.0/8,        ::FFFF:0a01:0203,       true",
        "::ffff:10.0.0.0/104, 10.1.2.3,             true",
        "0.0.0.0/0,         255.255.255.255,        true",
        "0.0.0.0/0,         2001:db8::1,            false",
        "::/0,              2001:db8::1,            true",
        "::/0,              10.0.0.1,               false",
        "192.168.1.1,       192.168.1.1,            true",
        "192.168.1.1,       192.168.1.2,            false",
        "192.168.1.129/25,  192.168.1.200,          true",
        "192.168.1.129/25,  192.168.1.100,          false",
        "2001:db8::/32,     2001:DB8:ffff::,        true",
        "2001:db8::/32,     2001:db9::,             false",
        "2001:db8::1,       2001:0db8:0:0:0:0:0:1,  true",
        "2001:db8::/65,     2001:db8::8000:0:0:0,   false",
    })
    void aBlockHoldsTheAddressesOfItsPrefix(String block, String address, boolean in) {
        assertThat(Cidr.parse(block).matches(address)).isEqualTo(in);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "10",
                "10.0.0",
                "10.0.0.",
                "10.0.0.256",
                "10.0.0.01",
                "10.0.0.1.",
                "10.0.0.1.2",
                "0x0a.0.0.1",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8",
                "12345::",
                "g::",
                "::1:",
                ":1::",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1.2.3",
                "::ffff:1.2.3.4:5",
                "localhost",
                "١٠.0.0.1",
                "1:2:3:4:5:6:7:8::"
            })
    void whatIsNotAnAddressIsInNoBlock(String malformed) {
        assertThat(Cidr.parse("0.0.0.0/0").matches(malformed)).isFalse();
        assertThat(Cidr.parse("::/0").matches(malformed)).isFalse();
        assertThatThrownBy(() -> Cidr.parse(malformed)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1 ", "10.0.0.1:80", "[::1]", "[::1]:80", "::1%eth0"})
    void aBlockIsWrittenPlainButHoldsDecoratedAddresses(String decorated) {
        assertThat(Cidr.parse(decorated.contains("::") ? "::/0" : "0.0.0.0/0").matches(decorated))
                .isTrue();
        assertThatThrownBy(() -> Cidr.parse(decorated)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "10.0.0.0/0x8",
                "10.0.0.0/+8",
                "::ffff:10.0.0.0/8"
            })
    void aBadPrefixIsNamed(String block) {
        assertThatThrownBy(() -> Cidr.parse(block)).hasMessageContaining(block).hasMessageContaining("expected");
    }

    @Property(tries = 500)
    void agreesWithTheJdkOnIpv6(
            @ForAll @Size(16) byte[] raw, @ForAll @IntRange(max = 7) int from, @ForAll @IntRange(max = 8) int zeros)
            throws UnknownHostException {
        Arrays.fill(raw, from * 2, Math.min(16, (from + zeros) * 2), (byte) 0);
        InetAddress address = InetAddress.getByAddress(raw);
        IpAddress reader = new IpAddress();
        for (String text : new String[] {address.getHostAddress(), compressed(raw, from, Math.min(8, from + zeros))}) {
            assertThat(reader.read(text)).as(text).isTrue();
            if (raw.length == address.getAddress().length) {
                assertThat(bits(reader)).as(text).isEqualTo(new BigInteger(1, raw));
            }
        }
    }

    @Property(tries = 500)
    void maskingKeepsExactlyThePrefix(@ForAll @Size(16) byte[] raw, @ForAll @IntRange(max = 128) int prefix) {
        IpAddress reader = new IpAddress();
        assertThat(reader.read(compressed(raw, 0, 0))).isTrue();
        reader.mask(prefix);
        BigInteger mask = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE.shiftLeft(128 - prefix));
        assertThat(bits(reader)).isEqualTo(new BigInteger(1, raw).and(mask));
    }

    @Test
    void ipv4InAnyNotationIsIpv4() {
        IpAddress reader = new IpAddress();
        assertThat(reader.read("1.2.3.4") && reader.isIpv4()).isTrue();
        assertThat(reader.read("::ffff:1.2.3.4") && reader.isIpv4()).isTrue();
        assertThat(reader.read("::1.2.3.4") && reader.isIpv4()).isFalse();
    }

    /** The eight groups, those between {@code from} and {@code to} written as {@code ::}. */
    private static String compressed(byte[] raw, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == from && to > from) {
                text.append("::");
                i = to - 1;
                continue;
            }
            if (text.length() > 0 && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString((raw[2 * i] & 0xff) << 8 | (raw[2 * i + 1] & 0xff)));
        }
        return text.toString();
    }

    private static BigInteger bits(IpAddress address) {
        return unsigned(address.high()).shiftLeft(64).or(unsigned(address.low()));
    }

    private static BigInteger unsigned(long word) {
        return new BigInteger(Long.toUnsignedString(word));
    }
}
