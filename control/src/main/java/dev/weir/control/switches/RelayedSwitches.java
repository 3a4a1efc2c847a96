package dev.weir.control.switches;

import dev.weir.control.audit.Author;
import dev.weir.control.relay.NoteRelay;
import dev.weir.control.relay.SignedRelay;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The switch changes that are posted to the relay, without those that cannot be read or trusted. Used by one thread at
 * a time, except for posting a single change.
 *
 * <p><b>Trust.</b> With the fleet's secret, changes are signed, and unsigned ones are ignored. The signature covers the
 * id of the switch, its stamp and its author. A replayed change is older than the one that replaced it, and is ignored
 * by every node that knows the newer one. Without a secret no change here is verified, and its author is marked so.
 */
final class RelayedSwitches {
    private static final System.Logger LOG = System.getLogger(RelayedSwitches.class.getName());
    private static final String UNVERIFIED = " (unverified)";
    /** A change from a clock further ahead than this is ignored: nobody could make a later change. */
    private static final long FURTHEST_AHEAD_MILLIS = Duration.ofDays(1).toMillis();

    private static final int MOST = 10_000;
    private static final int LONGEST = 8 << 10;

    private final SignedRelay relay;
    private final RejectedNotes rejectedNotes;
    private Map<String, SwitchChange> byId = Map.of();
    /** The texts on the relay that are ignored, by id; read by the threads that make changes. */
    private volatile Map<String, String> rejected = Map.of();

    RelayedSwitches(NoteRelay relay, @Nullable FleetSecret secret, RejectedNotes rejectedNotes) {
        this.relay = new SignedRelay(relay, secret, SwitchTable.KIND, "switches");
        this.rejectedNotes = rejectedNotes;
    }

    Collection<SwitchChange> all() {
        return byId.values();
    }

    /** Returns whether all changes here are verified. */
    boolean areVerified() {
        return relay.isSigned();
    }

    /** Returns whether the last call to the relay failed. */
    boolean failed() {
        return relay.failed();
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
        Map<String, SwitchChange> found = new HashMap<>();
        Map<String, String> ignored = new HashMap<>();
        List<String> unreadable = new ArrayList<>();
        long latest = System.currentTimeMillis() + FURTHEST_AHEAD_MILLIS;
        texts.forEach((id, text) -> {
            FleetSecret.Note note = relay.open(id, text);
            if (relay.isSigned() && note.trust() != Trust.VERIFIED) {
                if (!text.equals(rejected.get(id))) {
                    rejectedNotes.count(note.trust(), id);
                }
                ignored.put(id, text);
                return;
            }
            SwitchChange change = found.size() < MOST ? change(id, note.content(), latest) : null;
            if (change == null) {
                unreadable.add(id);
                ignored.put(id, text);
            } else {
                found.put(id, change);
            }
        });
        if (!unreadable.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    unreadable.size() + " switches in Redis are ignored (unreadable, or dated more than a day ahead): "
                            + unreadable.stream()
                                    .limit(5)
                                    .map(each -> each.replaceAll("[^ -~]", "?"))
                                    .toList());
        }
        byId = found;
        rejected = ignored;
    }

    /** Reads a change; null if it is none, or not one of {@code id}. */
    private @Nullable SwitchChange change(String id, String text, long latest) {
        try {
            SwitchChange change = text.length() > LONGEST ? null : SwitchJson.read(text);
            if (change == null || !change.name().id().equals(id) || change.stamp() >= latest) {
                return null;
            }
            return relay.isSigned() ? change : unverified(change);
        } catch (IOException e) {
            return null;
        }
    }

    private static SwitchChange unverified(SwitchChange change) {
        Author author = change.author();
        return new SwitchChange(
                change.name(),
                change.setting(),
                change.stamp(),
                new Author(author.name() + UNVERIFIED, author.from(), author.reason()),
                change.via());
    }

    /**
     * Posts the changes of {@code known} that the relay lacks, except those that {@code local} accepts. The first node
     * to see a change posts it for all.
     */
    void post(Collection<SwitchChange> known, Predicate<SwitchChange> local) {
        try {
            for (SwitchChange each : known) {
                SwitchChange posted = byId.get(each.name().id());
                if ((posted == null || each.stamp() > posted.stamp()) && !local.test(each)) {
                    post(each);
                    Map<String, SwitchChange> next = new HashMap<>(byId);
                    next.put(each.name().id(), each);
                    byId = next;
                }
            }
        } catch (IOException e) {
            relay.failed(e);
        }
    }

    /** Posts a change, signed if there is a secret, in place of a text that is ignored. */
    void post(SwitchChange change) throws IOException {
        String id = change.name().id();
        relay.post(id, change.stamp(), change.text(), rejected.containsKey(id));
    }
}
