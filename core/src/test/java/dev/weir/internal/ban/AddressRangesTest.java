package dev.weir.internal.ban;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AddressRangesTest {

    @Test
    void findsEveryAddressThatABlockHasAndNoOther() {
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            // Few distinct bits, so that blocks often touch, repeat and contain each other; many enough for the index.
            int size = seed % 2 == 0 ? 3_000 : 40;
            boolean ipv4 = seed % 4 < 2;
            List<Cidr> blocks = new ArrayList<>();
            List<Ban> owners = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int prefix = ipv4 ? 14 + random.nextInt(19) : 20 + random.nextInt(109);
                String text = (ipv4 ? ipv4(random) : ipv6(random)) + "/" + prefix;
                blocks.add(Cidr.parse(text));
                owners.add(ban(text, random.nextInt(5)));
            }
            AddressRanges<Ban> ranges = Objects.requireNonNull(AddressRanges.of(blocks, owners, Ban::untilMicros));
            for (int i = 0; i < 100; i++) {
                String sought = ipv4 ? ipv4(random) : ipv6(random);
                Ban found = find(ranges, sought);
                long expected = -1;
                for (int each = 0; each < size; each++) {
                    if (blocks.get(each).matches(sought)) {
                        expected = Math.max(expected, owners.get(each).untilMicros());
                    }
                }
                assertThat(found == null ? -1 : found.untilMicros())
                        .as("seed " + seed + ", " + sought)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void theFirstAndTheLastAddressesThereAreCanBeBanned() {
        AddressRanges<Ban> ranges =
                ranges("0.0.0.0/32", "255.255.255.255", "::/128", "::/0", "ffff::/16", "128.0.0.0/1");
        assertThat(find(ranges, "0.0.0.0")).isNotNull();
        assertThat(find(ranges, "0.0.0.1")).isNull();
        assertThat(find(ranges, "127.255.255.255")).isNull();
        assertThat(find(ranges, "128.0.0.0")).isNotNull();
        assertThat(find(ranges, "255.255.255.255")).isNotNull();
        assertThat(find(ranges, "::")).isNotNull();
        assertThat(find(ranges, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).isNotNull();
        assertThat(find(ranges, "2001:db8::1")).isNotNull();
    }

    @Test
    void aLargeTableKnowsTheEdgesOfItsBlocksAndWhereItEnds() {
        String[] blocks = new String[4_000];
        for (int i = 0; i < 2_000; i++) {
            blocks[i] = "2001:db8:" + Integer.toHexString(8 * i) + "::/48";
            blocks[2_000 + i] = "10." + (i >> 8) + "." + (i & 255) + ".16/28";
        }
        AddressRanges<Ban> ranges = ranges(blocks);
        for (int i = 0; i < 2_000; i++) {
            String third = Integer.toHexString(8 * i);
            assertThat(find(ranges, "2001:db8:" + third + "::")).isNotNull();
            assertThat(find(ranges, "2001:db8:" + third + ":ffff:ffff:ffff:ffff:ffff"))
                    .isNotNull();
            assertThat(find(ranges, "2001:db8:" + Integer.toHexString(8 * i + 1) + "::"))
                    .isNull();
            String net = "10." + (i >> 8) + "." + (i & 255);
            assertThat(find(ranges, net + ".15")).isNull();
            assertThat(find(ranges, net + ".16")).isNotNull();
            assertThat(find(ranges, net + ".31")).isNotNull();
            assertThat(find(ranges, net + ".32")).isNull();
        }
        for (String outside : List.of("::", "2001:db7:ffff::", "2002::", "ffff::1", "0.0.0.0", "255.255.255.255")) {
            assertThat(find(ranges, outside)).as(outside).isNull();
        }
    }

    @Test
    void blocksThatTouchAreOneRange() {
        AddressList list = new AddressList();
        Ban owner = ban("list", 1);
        for (int i = 255; i >= 0; i--) {
            list.add(Cidr.parse("10.0." + i + ".0/24"));
        }
        AddressRanges<Ban> ranges = AddressRanges.of(list, owner);
        assertThat(ranges.size()).isEqualTo(1);
        assertThat(find(ranges, "10.0.17.4")).isSameAs(owner);
        assertThat(find(ranges, "10.1.0.0")).isNull();
    }

    private static AddressRanges<Ban> ranges(String... blocks) {
        List<Cidr> parsed = new ArrayList<>();
        List<Ban> owners = new ArrayList<>();
        for (String each : blocks) {
            parsed.add(Cidr.parse(each));
            owners.add(ban(each, 1));
        }
        return Objects.requireNonNull(AddressRanges.of(parsed, owners, Ban::untilMicros));
    }

    private static @Nullable Ban find(AddressRanges<Ban> ranges, String text) {
        IpAddress address = new IpAddress();
        assertThat(address.read(text)).isTrue();
        return ranges.find(address.high(), address.low());
    }

    private static String ipv4(Random random) {
        return random.nextInt(4) + "." + random.nextInt(256) + "." + random.nextInt(2) * 128 + "." + random.nextInt(4);
    }

    private static String ipv6(Random random) {
        return "2001:db" + random.nextInt(9) + ":" + random.nextInt(40) + "::" + random.nextInt(3);
    }

    private static Ban ban(String value, long until) {
        return new Ban(BanKind.BAN, "ip", value, "", until, "", "test", false);
    }
}
