package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4,                        1.2.3.4",
        "1.2.3.4:80,                     1.2.3.4",
        "' 1.2.3.4\t',                   1.2.3.4",
        "/1.2.3.4:80,                    1.2.3.4",
        "::ffff:1.2.3.4,                 1.2.3.4",
        "::FFFF:102:304,                 1.2.3.4",
        "[::ffff:1.2.3.4]:80,            1.2.3.4",
        "::1,                            ::1",
        "[::1],                          ::1",
        "[::1]:443,                      ::1",
        "0:0:0:0:0:0:0:1,                ::1",
        "0000:0000:0000:0000:0000:0000:0000:0000, ::",
        "FE80::1%eth0,                   fe80::1",
        "fe80::1%25eth0,                 fe80::1",
        "[fe80::1%eth0]:80,              fe80::1",
        "2001:DB8::A,                    2001:db8::a",
        "2001:db8:0:0:1:0:0:1,           2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1,           2001:db8:0:1:1:1:1:1",
        "2001:db8:0:0:0:0:0:0,           2001:db8::",
        "64:ff9b::1.2.3.4,               64:ff9b::102:304",
        "::1.2.3.4,                      ::102:304",
        "::1:443,                        ::1:443",
    })
    void anAddressHasOneSpelling(String given, String normal) {
        String form = IpAddress.normalForm(given);
        assertThat(form).isEqualTo(normal);
        assertThat(IpAddress.normalForm(normal)).isSameAs(normal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "/",
                "[",
                "[]",
                "[]:80",
                ":80",
                "010.0.0.1",
                "1.2.3.04",
                "0x1.2.3.4",
                "1.2.3",
                "16909060",
                "1.2.3.4:",
                "1.2.3.4:x",
                "1.2.3.4:65536",
                "1.2.3.4:99999999999",
                "[1.2.3.4]",
                "[1.2.3.4]:80",
                "[::1",
                "[::1]x",
                "[::1]80",
                "[::1]:",
                "1.2.3.4%eth0",
                "fe80::1%",
                "%eth0",
                "::ffff:1.2.3.4:80",
                "1.2.3.4, 5.6.7.8",
                "1.2.3.4 5.6.7.8",
                "example.org",
                "example.org:80",
                "unknown",
                "_hidden",
                "\u0661.2.3.4"
            })
    void whatIsNoAddressHasNone(String text) {
        assertThat(IpAddress.normalForm(text)).isNull();
    }

    @Property(tries = 500)
    void everySpellingOfAnAddressHasItsForm(@ForAll long high, @ForAll long low, @ForAll long seed) {
        Random random = new Random(seed);
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = random.nextInt(3) == 0 ? 0 : (int) ((i < 4 ? high : low) >>> ((i % 4) * 16)) & 0xffff;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            String group = String.format(random.nextBoolean() ? "%x" : "%04X", groups[i]);
            text.append(i == 0 ? "" : ":").append(group);
        }
        String form = Objects.requireNonNull(IpAddress.normalForm(text.toString()));
        assertThat(IpAddress.normalForm("[" + text + "]:" + random.nextInt(65_536)))
                .isEqualTo(form);
        assertThat(IpAddress.normalForm(form)).isSameAs(form);
    }

    @Property(tries = 1_000)
    void noTextMakesItThrow(@ForAll String text) {
        assertThat(IpAddress.normalForm(text + "%[:]/")).isNull();
    }
}
