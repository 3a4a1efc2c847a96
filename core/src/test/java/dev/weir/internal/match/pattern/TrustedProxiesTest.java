package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.match.pattern.TrustedProxies.Header;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which address counts as the caller behind proxies, whatever the caller itself has sent. */
class TrustedProxiesTest {
    private static final List<String> BLOCKS = List.of("10.0.0.0/8", "2001:db8:ffff::/48");
    private static final TrustedProxies COMMON = TrustedProxies.of(BLOCKS, Header.X_FORWARDED_FOR);
    private static final TrustedProxies STANDARD = TrustedProxies.of(BLOCKS, Header.FORWARDED);
    private static final String PROXY = "10.0.0.1";

    @Test
    void theFirstAddressFromTheRightThatIsNoProxyIsTheCaller() {
        assertThat(common("203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(common("1.1.1.1, 203.0.113.7, 10.0.0.2")).isEqualTo("203.0.113.7");
        assertThat(common("1.1.1.1", "203.0.113.7", "10.0.0.2,10.0.0.3")).isEqualTo("203.0.113.7");
        assertThat(common("2001:db8::1, 2001:db8:ffff::2")).isEqualTo("2001:db8::1");
        assertThat(common("10.0.0.9, 10.0.0.2")).as("all are proxies").isEqualTo("10.0.0.9");
        assertThat(common()).isEqualTo(PROXY);
    }

    @Test
    void theHeaderOfAPeerThatIsNoProxyIsNotRead() {
        assertThat(COMMON.caller("203.0.113.9", List.of("1.1.1.1"))).isEqualTo("203.0.113.9");
        assertThat(TrustedProxies.NONE.caller(PROXY, List.of("1.1.1.1"))).isEqualTo(PROXY);
        assertThat(COMMON.caller("::ffff:10.0.0.1", List.of("1.1.1.1")))
                .as("IPv4-mapped")
                .isEqualTo("1.1.1.1");
    }

    @Test
    void portsBracketsAndSpellingsAreOneAddress() {
        assertThat(common("203.0.113.7:8080")).isEqualTo("203.0.113.7");
        assertThat(common("[2001:db8::1]:443")).isEqualTo("2001:db8::1");
        assertThat(common("[2001:DB8:0::1]")).isEqualTo("2001:db8::1");
        assertThat(common("::ffff:203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(common(" 203.0.113.7\t,, ")).as("empty elements").isEqualTo("203.0.113.7");
    }

    @Test
    void whatIsNoAddressEndsTheWalkAtTheProxyThatSentIt() {
        for (String each : List.of(
                "unknown",
                "_hidden",
                "localhost",
                "1.2.3",
                "1.2.3.4.5",
                "01.2.3.4",
                "256.1.1.1",
                "1.2.3.4:",
                "1.2.3.4:8 0",
                "1.2.3.4/8",
                "[1.2.3.4]",
                "[::1",
                "::1]",
                "[::1]x",
                "[fe80::1%eth0]",
                "fe80::1%eth0",
                ":",
                "[]",
                "\"1.1.1.1\"",
                "for=1.1.1.1",
                "1.1.1.1 2.2.2.2",
                "\u0661.1.1.1",
                "x".repeat(10_000))) {
            assertThat(common("1.1.1.1, " + each + ", 10.0.0.2")).as(each).isEqualTo("10.0.0.2");
            assertThat(common("1.1.1.1, " + each)).as(each).isEqualTo(PROXY);
        }
    }

    @Test
    void forwardedIsReadFromTheRightToo() {
        assertThat(standard("for=203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(standard("for=1.1.1.1, For=\"203.0.113.7:80\";proto=https;by=10.0.0.3, for=10.0.0.2"))
                .isEqualTo("203.0.113.7");
        assertThat(standard("proto=https;for=\"[2001:db8::1]:4711\";host=\"a,b;c\\\"d\""))
                .isEqualTo("2001:db8::1");
        assertThat(standard("for=1.1.1.1", "for=203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(standard("for=\"203.0.113.7:_port\"")).isEqualTo("203.0.113.7");
        assertThat(STANDARD.header().text()).isEqualTo("Forwarded");
    }

    @Test
    void aMalformedForwardedEndsTheWalk() {
        for (String each : List.of(
                "203.0.113.7",
                "for",
                "for=",
                "=1.1.1.1",
                "for =1.1.1.1",
                "for= 1.1.1.1",
                "for=unknown",
                "for=_gazonk",
                "proto=https",
                "by=1.1.1.1",
                "for=1.1.1.1;for=2.2.2.2",
                "for=\"1.1.1.1\"x",
                "for=1.1.1.1\"\"",
                "for=\"2001:db8::zz\"",
                "for=\"a\\\"b\"")) {
            assertThat(standard("for=1.1.1.1, " + each)).as(each).isEqualTo(PROXY);
        }
        assertThat(standard("for=1.1.1.1, for=\"203.0.113.7, for=10.0.0.2"))
                .as("a quote without its other half ends the walk at the proxy that passed it on")
                .isEqualTo("10.0.0.2");
        assertThat(standard("for=\"1.1.1.1, for=2.2.2.2\", for=10.0.0.2")).isEqualTo("10.0.0.2");
    }

    /** Else a caller with one quote too many would be counted as the proxy. */
    @Test
    void aQuoteOfTheCallerDoesNotHideWhatProxiesAppended() {
        for (String sent : List.of("for=\"", "for=\"1.1.1.1", "\"", "for=1.1.1.1\"", "for=\"\\", "\"\"\"", "\\\"")) {
            assertThat(standard(sent + ", for=203.0.113.7")).as(sent).isEqualTo("203.0.113.7");
            assertThat(standard(sent + ", for=\"203.0.113.7:80\", for=\"10.0.0.2:_a\""))
                    .as(sent)
                    .isEqualTo("203.0.113.7");
        }
    }

    @Test
    void aLongListIsNotReadToItsEnd() {
        assertThat(common("1.1.1.1," + "10.0.0.2,".repeat(1_000))).isEqualTo("10.0.0.2");
        assertThat(common(",".repeat(100_000))).isEqualTo(PROXY);
    }

    @Test
    void whatIsNoBlockIsRefused() {
        assertThatThrownBy(() -> TrustedProxies.of(List.of("10.0.0.0/33"), Header.FORWARDED))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static String common(String... headers) {
        return COMMON.caller(PROXY, List.of(headers));
    }

    private static String standard(String... headers) {
        return STANDARD.caller(PROXY, List.of(headers));
    }
}
