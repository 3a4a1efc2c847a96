package dev.weir.internal.match.pattern;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.internal.match.pattern.TrustedProxies.Header;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.params.provider.ValueSource;

/** Any text of a caller: endpoints, addresses, and headers of proxies. */
class CallerTextFuzzTest {
    private static final String PROXY = "10.0.0.1";
    private static final List<String> BLOCKS = List.of("10.0.0.0/8");
    private static final String CALLER = "203.0.113.7";

    @FuzzTest(maxDuration = "30s")
    @ValueSource(
            strings = {
                "POST /login",
                "pOsT http://host//a/%2e%2e;x/%6cogin?q#f",
                "/..;/%2F%zz/\\..",
                "OPTIONS *",
                "list orders",
                "\ud83d/\u00e9"
            })
    void anEndpointHasOneForm(@NotNull String text) {
        String form = EndpointForm.NORMAL.of(text);
        String lower = EndpointForm.lowerCase(form);
        require(EndpointForm.NORMAL.of(form).equals(form), "the form of a form is another");
        require(EndpointForm.lowerCase(lower).equals(lower), "lower case is not");
        require(EndpointForm.NORMAL.of(lower).equals(lower), "lower case is no form");
        int path = EndpointPattern.pathOf(text);
        require(EndpointPattern.pathOf(form) == path && EndpointPattern.pathOf(lower) == path, "the path moved");
        require(form.length() <= 9L * text.length() + 1, "the form is longer than escapes make it");
        if (form.startsWith("/", path) && path < form.length()) {
            require(!form.substring(path).matches(".*(//|/\\.{1,2}(/|$)|[?#;*\\\\]).*"), "not resolved: " + form);
        }
    }

    @FuzzTest(maxDuration = "30s")
    @ValueSource(
            strings = {
                "1.2.3.4",
                " /1.2.3.4:80\t",
                "[::1]:443",
                "fe80::1%eth0",
                "::ffff:1.2.3.4",
                "1:2:3:4:5:6:7::",
                "2001:DB8:0:0:1:0:0:1",
                "01.2.3.4"
            })
    void anAddressHasOneSpelling(@NotNull String text) throws UnknownHostException {
        String form = IpAddress.normalForm(text);
        if (form == null) {
            return;
        }
        require(IpAddress.isValid(form) && form.equals(IpAddress.normalForm(form)), "no spelling: " + form);
        IpAddress of = new IpAddress();
        require(of.read(text), "not read twice");
        require(java.util.Arrays.equals(InetAddress.getByName(form).getAddress(), bytes(of)), "other bits: " + form);
        if (IpAddress.isValid(text)) { // a literal: Java asks nobody for it
            require(InetAddress.getByName(text).equals(InetAddress.getByName(form)), "another address: " + form);
        }
    }

    private static byte[] bytes(IpAddress of) {
        int from = of.isIpv4() ? 12 : 0;
        byte[] bytes = new byte[16 - from];
        for (int i = 0; i < bytes.length; i++) {
            int at = from + i;
            bytes[i] = (byte) ((at < 8 ? of.high() : of.low()) >>> (56 - at % 8 * 8));
        }
        return bytes;
    }

    /** Whatever a caller sends, the address that the proxy appends counts. */
    @FuzzTest(maxDuration = "30s")
    @ValueSource(
            strings = {
                "1.1.1.1",
                "for=1.1.1.1;by=\"a,b\"",
                "for=\"",
                "\"\\",
                "unknown,,_hidden",
                "10.0.0.2, 10.0.0.3",
                "for=\"[::1]:80\", for=10.9.9.9"
            })
    void aCallerCannotHideBehindProxies(@NotNull String sent) {
        TrustedProxies common = TrustedProxies.of(BLOCKS, Header.X_FORWARDED_FOR);
        TrustedProxies standard = TrustedProxies.of(BLOCKS, Header.FORWARDED);
        for (TrustedProxies each : List.of(common, standard)) {
            String caller = each.caller(PROXY, List.of(sent));
            require(IpAddress.isValid(caller), "no address: " + caller);
            require(each.caller(CALLER, List.of(sent)).equals(CALLER), "the header of a stranger was read");
        }
        String appended = sent + ", " + CALLER + ", 10.0.0.2";
        require(common.caller(PROXY, List.of(appended)).equals(CALLER), "hidden in X-Forwarded-For");
        String standardAppended = sent + ", for=" + CALLER + ";proto=https, for=\"10.0.0.2:80\"";
        require(standard.caller(PROXY, List.of(standardAppended)).equals(CALLER), "hidden in Forwarded");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
