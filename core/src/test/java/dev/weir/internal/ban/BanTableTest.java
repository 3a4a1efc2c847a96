package dev.weir.internal.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BanTableTest {

    @Test
    void anExemptionComesBeforeABanAndABanBeforeAShadowBan() {
        BanTable table = table(
                ban(BanKind.SHADOW, "ip", "10.0.0.0/8"),
                ban(BanKind.BAN, "ip", "10.1.0.0/16"),
                ban(BanKind.ALLOW, "user_id", "u_1"));
        assertThat(kind(table, request("10.2.0.1", "u_2"), 0)).isEqualTo(BanKind.SHADOW);
        assertThat(kind(table, request("10.1.0.1", "u_2"), 0)).isEqualTo(BanKind.BAN);
        assertThat(kind(table, request("10.1.0.1", "u_1"), 0)).isEqualTo(BanKind.ALLOW);
        assertThat(kind(table, request("11.1.0.1", "u_2"), 0)).isNull();
    }

    @Test
    void anEntryEndsByItselfAndTheNextOneHoldsAgain() {
        BanTable table = table(
                new Ban(BanKind.BAN, "ip", "192.0.2.1", "", 1_000, "", "", false),
                new Ban(BanKind.SHADOW, "ip", "192.0.2.0/24", "", 2_000, "", "", false));
        assertThat(kind(table, request("192.0.2.1", "u"), 999)).isEqualTo(BanKind.BAN);
        assertThat(kind(table, request("192.0.2.1", "u"), 1_000)).isEqualTo(BanKind.SHADOW);
        assertThat(kind(table, request("192.0.2.1", "u"), 2_000)).isNull();
    }

    @Test
    void anEntryOfADomainHoldsThereAlone() {
        BanTable table = table(new Ban(BanKind.BAN, "user_id", "u", "login", Ban.FOREVER, "", "", false));
        assertThat(kind(table, Request.to("login").with("user_id", "u"), 0)).isEqualTo(BanKind.BAN);
        assertThat(kind(table, Request.to("api").with("user_id", "u"), 0)).isNull();
    }

    @Test
    void anAddressIsBannedUnderBothOfItsNamesAndInEverySpelling() {
        BanTable table = table(ban(BanKind.BAN, "ip", "192.0.2.1"), ban(BanKind.BAN, "ip", "2001:db8::/48"));
        for (String each : List.of("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1:443", "[2001:db8:0:1::2]:80")) {
            assertThat(kind(table, Request.to("d").with("remote_address", each), 0))
                    .as(each)
                    .isEqualTo(BanKind.BAN);
            assertThat(kind(table, Request.to("d").with("ip", each), 0)).isEqualTo(BanKind.BAN);
        }
        assertThat(kind(table, Request.to("d").with("ip", "not an address"), 0)).isNull();
    }

    @Test
    void anyDescriptorOfARequestCanBeBanned() {
        Request request = Request.to("d").with("a", "1");
        request.descriptor().with("user_id", "u");
        assertThat(kind(table(ban(BanKind.BAN, "user_id", "u")), request, 0)).isEqualTo(BanKind.BAN);
        assertThat(kind(table(ban(BanKind.BAN, "user_id", "u")), Request.to("d"), 0))
                .isNull();
    }

    @Test
    void aClientIdStandsForTheIdentitiesThatARequestDoesNotName() {
        BanTable table = table(
                ban(BanKind.BAN, "user_id", "bob"),
                ban(BanKind.BAN, "api_key", "k1"),
                ban(BanKind.BAN, "ip", "192.0.2.0/24"),
                ban(BanKind.BAN, "tenant", "acme"),
                new Ban(BanKind.BAN, "user_id", "eve", "login", Ban.FOREVER, "", "", false));
        for (String each : List.of("bob", "k1", "192.0.2.7")) {
            assertThat(kind(table, Request.to("api").with("client_id", each), 0))
                    .as(each)
                    .isEqualTo(BanKind.BAN);
        }
        assertThat(kind(table, Request.to("api").with("client_id", "acme"), 0)).isNull();
        assertThat(kind(table, Request.to("api").with("client_id", "eve"), 0)).isNull();
        assertThat(kind(table, Request.to("login").with("client_id", "eve"), 0)).isEqualTo(BanKind.BAN);
        assertThat(kind(table, Request.to("api").with("client_id", "bob").with("user_id", "alice"), 0))
                .as("bob is an application here, and alice its user")
                .isNull();
        assertThat(kind(table, Request.to("api").with("client_id", "bob").with("user_id", ""), 0))
                .isEqualTo(BanKind.BAN);
        assertThat(kind(
                        table,
                        Request.to("api").with("client_id", "192.0.2.7").with("remote_address", "198.51.100.1"),
                        0))
                .isNull();
    }

    @Test
    void entriesOfRulesCountOnlyIfAskedFor() {
        BanTable table = new BanTable(List.of(
                BanSet.of(List.of(ban(BanKind.SHADOW, "ip", "10.0.0.0/8")), false),
                BanSet.of(List.of(ban(BanKind.BAN, "ip", "10.0.0.1")), true)));
        Request request = Request.to("d").with("ip", "10.0.0.1");
        assertThat(table.find(request, 0, true)).extracting(Ban::kind).isEqualTo(BanKind.BAN);
        assertThat(table.find(request, 0, false)).extracting(Ban::kind).isEqualTo(BanKind.SHADOW);
    }

    @Test
    void aListOfAddressesIsOneEntry() {
        Ban owner = ban(BanKind.BAN, "ip", "spammers.txt");
        AddressList list = new AddressList();
        for (String each : List.of(
                "198.51.100.7",
                "192.0.2.128/25",
                "192.0.2.0/25",
                "192.0.2.0/26",
                "255.255.255.255",
                "0.0.0.0/32",
                "2001:db8::/32",
                "2001:db8:1::/48")) {
            list.add(Cidr.parse(each));
        }
        BanTable table = new BanTable(List.of(BanSet.ofAddresses(owner, list)));
        for (String each : List.of("192.0.2.0", "192.0.2.255", "255.255.255.255", "0.0.0.0", "2001:db8:ffff::")) {
            assertThat(table.find(Request.to("d").with("ip", each), 0, true))
                    .as(each)
                    .isSameAs(owner);
        }
        for (String each : List.of("192.0.3.0", "192.0.1.255", "0.0.0.1", "2001:db9::", "254.255.255.255")) {
            assertThat(table.find(Request.to("d").with("ip", each), 0, true))
                    .as(each)
                    .isNull();
        }
        assertThat(table.find(Request.to("d").with("ip", "198.51.100.7"), 0, true))
                .isSameAs(owner);
        assertThat(table.find(Request.to("d").with("ip", "198.51.100.8"), 0, true))
                .isNull();
    }

    @Test
    void aTableOfEmptySetsIsEmptyAndAWrongAddressIsRefused() {
        assertThat(new BanTable(List.of(BanSet.of(List.of(), false))).isEmpty()).isTrue();
        assertThatThrownBy(() -> table(ban(BanKind.BAN, "ip", "10.0.0.0/33")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static @Nullable BanKind kind(BanTable table, Request request, long now) {
        Ban found = table.find(request, now, true);
        return found == null ? null : found.kind();
    }

    private static Request request(String ip, String user) {
        return Request.to("d").with("user_id", user).with("ip", ip);
    }

    private static BanTable table(Ban... bans) {
        return new BanTable(List.of(BanSet.of(List.of(bans), false)));
    }

    private static Ban ban(BanKind kind, String attribute, String value) {
        return new Ban(kind, attribute, value, "", Ban.FOREVER, "", "test", false);
    }
}
