package dev.weir.internal.ban;

import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the entry of one value of one attribute, by kind in the order of precedence. Immutable. */
final class BannedValues {
    private static final int KINDS = BanKind.values().length;

    private final boolean addresses;
    /** The entries of each value, by kind. */
    private final Map<String, @Nullable Ban[]> texts = new HashMap<>();
    /** The ranges of each kind, if the values are addresses. */
    private final List<@Nullable AddressRanges<Ban>> ranges = new ArrayList<>();

    /** Indexes {@code bans}, all of one attribute. */
    BannedValues(String attribute, Collection<Ban> bans) {
        this.addresses = Attributes.isAddress(attribute);
        if (!addresses) {
            bans.forEach(this::add);
            return;
        }
        for (int i = 0; i < KINDS; i++) {
            List<Cidr> blocks = new ArrayList<>();
            List<Ban> owners = new ArrayList<>();
            for (Ban each : bans) {
                if (each.kind() == BanKind.at(i)) {
                    blocks.add(Cidr.parse(each.value()));
                    owners.add(each);
                }
            }
            ranges.add(AddressRanges.of(blocks, owners, Ban::untilMicros));
        }
    }

    /** Indexes a list of addresses. */
    BannedValues(Ban owner, AddressList list) {
        this.addresses = true;
        for (int i = 0; i < KINDS; i++) {
            ranges.add(i == owner.kind().precedence() ? AddressRanges.of(list, owner) : null);
        }
    }

    private void add(Ban ban) {
        @Nullable Ban[] byKind = texts.computeIfAbsent(ban.value(), value -> new Ban[KINDS]);
        Ban known = byKind[ban.kind().precedence()];
        if (known == null || known.untilMicros() < ban.untilMicros()) {
            byKind[ban.kind().precedence()] = ban;
        }
    }

    /** Returns the entry of {@code value} that holds, if it takes precedence over {@code found}; else {@code found}. */
    @Nullable
    Ban find(String value, long nowMicros, @Nullable Ban found) {
        int kinds = found == null ? KINDS : found.kind().precedence();
        if (addresses) {
            return findAddress(value, nowMicros, kinds, found);
        }
        @Nullable Ban[] byKind = texts.get(value);
        for (int i = 0; byKind != null && i < kinds; i++) {
            Ban ban = byKind[i];
            if (ban != null && ban.holdsAt(nowMicros)) {
                return ban;
            }
        }
        return found;
    }

    private @Nullable Ban findAddress(String value, long nowMicros, int kinds, @Nullable Ban found) {
        long ipv4 = IpAddress.ipv4(value);
        IpAddress address = ipv4 < 0 ? IpAddress.ofThread() : null;
        if (address != null && !address.read(value)) {
            return found;
        }
        for (int i = 0; i < kinds; i++) {
            AddressRanges<Ban> of = ranges.get(i);
            if (of == null) {
                continue;
            }
            Ban ban = address == null ? of.findIpv4(ipv4) : of.find(address.high(), address.low());
            if (ban != null && ban.holdsAt(nowMicros)) {
                return ban;
            }
        }
        return found;
    }
}
