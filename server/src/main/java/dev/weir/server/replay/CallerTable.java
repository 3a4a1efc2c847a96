package dev.weir.server.replay;

import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.IpAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests and denials of each caller, in bounded memory. Above {@value #MOST} callers it keeps every second
 * one, chosen by its hash, then every fourth, and so on; the numbers of callers are then estimates.
 */
final class CallerTable {
    private static final int MOST = 1 << 20;

    private long[] keys = new long[1 << 12];
    private Stats[] stats = new Stats[1 << 12];
    private int size;
    private int level;

    /** The counts of one caller. */
    static final class Stats {
        long requests;
        long before;
        long now;
        long firstChange;
        long lastChange;

        @Nullable
        String caller;

        @Nullable
        String rule;
    }

    /** The counts of the caller that entry {@code entry} of {@code request} names; null if they are not kept. */
    @Nullable
    Stats of(Request request, int entry) {
        long key = hash(request.key(entry), request.value(entry));
        if ((key & ((1L << level) - 1)) != 0) {
            return null;
        }
        int at = find(key);
        if (stats[at] == null) {
            if (size >= MOST) {
                thin();
                return of(request, entry);
            }
            if (size * 2 >= keys.length) {
                rehash(keys.length * 2);
                at = find(key);
            }
            keys[at] = key;
            stats[at] = new Stats();
            size++;
        }
        return stats[at];
    }

    private int find(long key) {
        int mask = keys.length - 1;
        int at = (int) (key >>> 20) & mask;
        while (stats[at] != null && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void thin() {
        level++;
        rehash(keys.length);
    }

    private void rehash(int room) {
        long[] oldKeys = keys;
        Stats[] oldStats = stats;
        keys = new long[room];
        stats = new Stats[room];
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldStats[i] != null && (oldKeys[i] & ((1L << level) - 1)) == 0) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                stats[at] = oldStats[i];
                size++;
            }
        }
    }

    /** One in so many callers is counted. */
    long scale() {
        return 1L << level;
    }

    long count() {
        return size * scale();
    }

    long deniedBefore() {
        return Arrays.stream(stats)
                        .filter(each -> each != null && each.before > 0)
                        .count()
                * scale();
    }

    long deniedNow() {
        return Arrays.stream(stats).filter(each -> each != null && each.now > 0).count() * scale();
    }

    /** The callers for which most changes, the most first. */
    List<Stats> changed(int most) {
        List<Stats> changed = new ArrayList<>();
        for (Stats each : stats) {
            if (each != null && each.caller != null) {
                changed.add(each);
            }
        }
        changed.sort(Comparator.comparingLong((Stats each) -> -Math.abs(each.now - each.before))
                .thenComparing(each -> String.valueOf(each.caller)));
        return List.copyOf(changed.subList(0, Math.min(most, changed.size())));
    }

    long changedCount() {
        return Arrays.stream(stats)
                        .filter(each -> each != null && each.caller != null)
                        .count()
                * scale();
    }

    /** The caller as people read it: {@code user_id=u_42}. */
    static String text(Request request, int entry) {
        String name = request.key(entry);
        String value = request.value(entry);
        IpAddress address = IpAddress.ofThread();
        if (Attributes.isAddress(name) && address.read(value)) {
            boolean ipv4 = address.isIpv4();
            if (!ipv4) {
                address.mask(KeyBy.DEFAULT_IPV6_PREFIX);
            }
            return name + "=" + address + (ipv4 ? "" : "/" + KeyBy.DEFAULT_IPV6_PREFIX);
        }
        return name + "=" + value;
    }

    private static long hash(String name, String value) {
        long hash = 0xcbf29ce484222325L + name.hashCode();
        IpAddress address = IpAddress.ofThread();
        if (Attributes.isAddress(name) && address.read(value)) {
            if (!address.isIpv4()) {
                address.mask(KeyBy.DEFAULT_IPV6_PREFIX);
            }
            hash = (hash ^ address.high()) * 0x100000001b3L;
            hash = (hash ^ address.low()) * 0x100000001b3L;
        } else {
            for (int i = 0; i < value.length(); i++) {
                hash = (hash ^ value.charAt(i)) * 0x100000001b3L;
            }
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
