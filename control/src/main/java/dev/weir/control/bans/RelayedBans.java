package dev.weir.control.bans;

import dev.weir.control.relay.NoteRelay;
import dev.weir.control.relay.SignedRelay;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.FleetSecret.Trust;
import dev.weir.internal.runtime.RejectedNotes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries that are posted to the relay, without those that cannot be read or trusted. Used by one thread.
 *
 * <p><b>Trust.</b> With the fleet's secret, entries are signed, and unsigned ones are ignored. Without a secret anybody
 * who can write to Redis can post. A node then follows only bans that a rule could have made: of single callers, for a
 * month at most. Such a writer could deny the same callers by changing their counters.
 */
final class RelayedBans {
    /** A change from a clock further ahead than this is ignored: nobody could make a later change. */
    private static final long FURTHEST_AHEAD_MILLIS = Duration.ofDays(1).toMillis();

    private static final long LONGEST_UNSIGNED_MILLIS = Duration.ofDays(31).toMillis();
    private static final int MOST = 2 * KnownBans.MOST;
    private static final int LONGEST = 4 << 10;
    /** The most posts of one round, which takes a round trip for each. */
    private static final int MOST_POSTS = 500;
    /** The largest block of IPv6 that one caller usually has. */
    private static final int CALLER_PREFIX = 48;

    private final SignedRelay relay;
    private final RejectedNotes rejected;
    private final LongSupplier millis;
    private Map<String, BanChange> byId = Map.of();
    /** The texts that are ignored, by id, so that each is counted once. */
    private Map<String, String> ignored = Map.of();

    RelayedBans(NoteRelay relay, @Nullable FleetSecret secret, RejectedNotes rejected, LongSupplier millis) {
        this.relay = new SignedRelay(relay, secret, BanRows.KIND, "bans");
        this.rejected = rejected;
        this.millis = millis;
    }

    Collection<BanChange> all() {
        return byId.values();
    }

    /** Whether other nodes follow a change of {@code name} here. */
    boolean follows(BanName name) {
        return relay.isSigned() || name.automatic();
    }

    boolean has(BanName name) {
        return byId.containsKey(name.id());
    }

    /** Reads the relay; returns whether anything on it is new. */
    boolean read() {
        Map<String, String> texts = relay.read();
        if (texts != null) {
            parse(texts);
        }
        return texts != null;
    }

    private void parse(Map<String, String> texts) {
        Map<String, BanChange> found = new HashMap<>();
        Map<String, String> refused = new HashMap<>();
        long now = millis.getAsLong();
        boolean signed = relay.isSigned();
        texts.forEach((id, text) -> {
            FleetSecret.Note note = relay.open(id, text);
            boolean trusted = !signed || note.trust() == Trust.VERIFIED;
            BanChange change = trusted && found.size() < MOST ? change(id, note.content(), now) : null;
            if (change != null && (signed || isHarmless(change, now))) {
                found.put(id, change);
                return;
            }
            if (!text.equals(ignored.get(id))) {
                rejected.count(signed ? note.trust() : Trust.UNSIGNED, id);
            }
            refused.put(id, text);
        });
        byId = found;
        ignored = refused;
    }

    private static @Nullable BanChange change(String id, String text, long now) {
        try {
            BanChange change = text.length() > LONGEST ? null : BanJson.read(text);
            boolean fits =
                    change != null && change.name().id().equals(id) && change.stamp() < now + FURTHEST_AHEAD_MILLIS;
            return fits ? change : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether a rule could have made the entry. */
    private static boolean isHarmless(BanChange change, long now) {
        if (!change.name().automatic() || change.kind() == BanKind.ALLOW || change.kind() == BanKind.SHADOW) {
            return false;
        }
        if (change.forgottenMillis() > now + LONGEST_UNSIGNED_MILLIS) {
            return false;
        }
        if (!Attributes.isAddress(change.name().attribute())) {
            return true;
        }
        Cidr block = Cidr.parse(change.name().value());
        return block.isOne() || (block.prefix() >= CALLER_PREFIX && block.high() != 0);
    }

    /** Posts the changes of {@code known} that the relay lacks, and deletes what can be forgotten. Returns whether all fit. */
    boolean post(Collection<BanChange> known) {
        int posts = 0;
        long now = millis.getAsLong();
        Map<String, BanChange> next = new HashMap<>(byId);
        boolean all = true;
        try {
            for (BanChange each : forgotten(now)) {
                relay.delete(each.name().id(), each.stamp());
                next.remove(each.name().id());
            }
            for (BanChange each : known) {
                String id = each.name().id();
                BanChange posted = next.get(id);
                if (each.isAfter(posted) && follows(each.name()) && each.forgottenMillis() > now) {
                    if (posts++ == MOST_POSTS) {
                        all = false;
                        break;
                    }
                    String text = BanJson.text(each);
                    // Of two changes with one stamp the relay keeps the first, unless it is replaced.
                    boolean replaces = ignored.containsKey(id) || (posted != null && posted.stamp() == each.stamp());
                    relay.post(id, each.stamp(), text, replaces);
                    next.put(id, each);
                }
            }
        } catch (IOException e) {
            relay.failed(e);
        }
        byId = next;
        return all;
    }

    private List<BanChange> forgotten(long now) {
        List<BanChange> forgotten = new ArrayList<>();
        for (BanChange each : byId.values()) {
            if (each.forgottenMillis() <= now && forgotten.size() < MOST_POSTS) {
                forgotten.add(each);
            }
        }
        return forgotten;
    }

    /** Whether the last call to the relay failed. */
    boolean failed() {
        return relay.failed();
    }
}
