package dev.weir.control.bans;

import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.FleetSecret.Trust;
import dev.weir.internal.runtime.RejectedNotes;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entries that are posted to the relay, without those that cannot be read or trusted. Used by one thread.
 *
 * <p><b>Trust.</b> With the fleet's secret, entries are signed, and unsigned ones are ignored. Without a secret anybody
 * who can write to Redis can post. A node then follows only bans that a rule could have made: of single callers, for a
 * month at most. Such a writer could deny the same callers by changing their counters.
 */
final class RelayedBans {
    /** The kind of a signed note. */
    static final String KIND = "ban";

    private static final System.Logger LOG = System.getLogger(RelayedBans.class.getName());
    /** A change from a clock further ahead than this is ignored: nobody could make a later change. */
    private static final long FURTHEST_AHEAD_MILLIS = Duration.ofDays(1).toMillis();

    private static final long LONGEST_UNSIGNED_MILLIS = Duration.ofDays(31).toMillis();
    private static final int MOST = 2 * Bans.MOST;
    private static final int LONGEST = 4 << 10;
    /** The most posts of one round, which takes a round trip for each. */
    private static final int MOST_POSTS = 500;
    /** The largest block of IPv6 that one caller usually has. */
    private static final int CALLER_PREFIX = 48;

    private final BanRelay relay;
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejected;
    private Map<String, BanChange> byId = Map.of();
    /** The texts that are ignored, by id, so that each is counted once. */
    private Map<String, String> ignored = Map.of();

    private boolean failed;

    RelayedBans(BanRelay relay, @Nullable FleetSecret secret, RejectedNotes rejected) {
        this.relay = relay;
        this.secret = secret;
        this.rejected = rejected;
    }

    Collection<BanChange> all() {
        return byId.values();
    }

    /** Whether other nodes follow what people decide here. */
    boolean isSigned() {
        return secret != null;
    }

    boolean has(BanName name) {
        return byId.containsKey(name.id());
    }

    /** Reads the relay; returns whether anything on it is new. */
    boolean read() {
        try {
            Map<String, String> texts = relay.read();
            if (texts != null) {
                parse(texts);
            }
            reached(true, "");
            return texts != null;
        } catch (IOException e) {
            reached(false, String.valueOf(e.getMessage()));
            return false;
        }
    }

    private void parse(Map<String, String> texts) {
        Map<String, BanChange> found = new HashMap<>();
        Map<String, String> refused = new HashMap<>();
        long now = System.currentTimeMillis();
        texts.forEach((id, text) -> {
            FleetSecret.Note note = FleetSecret.read(secret, KIND, id, text);
            boolean trusted = secret == null || note.trust() == Trust.VERIFIED;
            BanChange change = trusted && found.size() < MOST ? change(id, note.content(), now) : null;
            if (change != null && (secret != null || isHarmless(change, now))) {
                found.put(id, change);
                return;
            }
            if (!text.equals(ignored.get(id))) {
                rejected.count(secret == null ? Trust.UNSIGNED : note.trust(), id);
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
        if (change.kind() != null && change.endsMillis() > now + LONGEST_UNSIGNED_MILLIS) {
            return false;
        }
        if (!Attributes.isAddress(change.name().attribute())) {
            return true;
        }
        Cidr block = Cidr.parse(change.name().value());
        return block.isOne() || (block.prefix() >= CALLER_PREFIX && block.high() != 0);
    }

    /** Posts the changes of {@code known} that the relay lacks, and deletes what has ended. Returns whether all fit. */
    boolean post(Collection<BanChange> known) {
        int posts = 0;
        long now = System.currentTimeMillis();
        Map<String, BanChange> next = new HashMap<>(byId);
        boolean all = true;
        try {
            for (BanChange each : ended(now)) {
                relay.delete(each.name().id(), each.stamp());
                next.remove(each.name().id());
            }
            for (BanChange each : known) {
                String id = each.name().id();
                BanChange posted = next.get(id);
                boolean lacks = posted == null || each.stamp() > posted.stamp();
                boolean followed = secret != null || each.name().automatic();
                if (lacks && followed && each.endsMillis() > now) {
                    if (posts++ == MOST_POSTS) {
                        all = false;
                        break;
                    }
                    String text = BanJson.text(each);
                    relay.post(id, each.stamp(), secret == null ? text : secret.sign(KIND, id, each.stamp(), text));
                    next.put(id, each);
                }
            }
        } catch (IOException e) {
            reached(false, String.valueOf(e.getMessage()));
        }
        byId = next;
        return all;
    }

    private List<BanChange> ended(long now) {
        List<BanChange> ended = new ArrayList<>();
        for (BanChange each : byId.values()) {
            if (each.endsMillis() <= now && ended.size() < MOST_POSTS) {
                ended.add(each);
            }
        }
        return ended;
    }

    private void reached(boolean now, String why) {
        if (failed == now) {
            failed = !now;
            LOG.log(
                    now ? Level.INFO : Level.WARNING,
                    now
                            ? "bans are passed on through Redis again"
                            : "bans cannot be passed on through Redis: " + why + "; those that are known hold");
        }
    }

    /** Whether the last call to the relay failed. */
    boolean failed() {
        return failed;
    }
}
