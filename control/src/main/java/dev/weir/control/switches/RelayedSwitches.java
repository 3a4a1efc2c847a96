package dev.weir.control.switches;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The switch changes that are posted to the relay, without those that cannot be read. Used by one thread at a time. */
final class RelayedSwitches {
    private static final System.Logger LOG = System.getLogger(RelayedSwitches.class.getName());
    /** A change from a clock further ahead than this is ignored: nobody could make a later change. */
    private static final long FURTHEST_AHEAD_MILLIS = Duration.ofDays(1).toMillis();

    private static final int MOST = 10_000;
    private static final int LONGEST = 8 << 10;

    private final SwitchRelay relay;
    private Map<String, SwitchChange> byId = Map.of();
    private boolean failed;

    RelayedSwitches(SwitchRelay relay) {
        this.relay = relay;
    }

    Collection<SwitchChange> all() {
        return byId.values();
    }

    /** Returns whether the last call to the relay failed. */
    boolean failed() {
        return failed;
    }

    /** Reads the relay; returns whether anything on it is new. */
    boolean read() {
        try {
            Map<String, String> texts = relay.read();
            if (texts != null) {
                byId = parsed(texts);
            }
            reached(true, "");
            return texts != null;
        } catch (IOException e) {
            reached(false, String.valueOf(e.getMessage()));
            return false;
        }
    }

    private static Map<String, SwitchChange> parsed(Map<String, String> texts) {
        Map<String, SwitchChange> found = new HashMap<>();
        List<String> ignored = new ArrayList<>();
        long latest = System.currentTimeMillis() + FURTHEST_AHEAD_MILLIS;
        texts.forEach((id, text) -> {
            try {
                SwitchChange each = text.length() > LONGEST ? null : SwitchJson.read(text);
                boolean valid = each != null && each.name().id().equals(id) && each.stamp() < latest;
                if (valid && each != null && found.size() < MOST) {
                    found.put(id, each);
                } else {
                    ignored.add(id);
                }
            } catch (IOException e) {
                ignored.add(id);
            }
        });
        if (!ignored.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    ignored.size() + " switches in Redis are ignored (unreadable, or dated more than a day ahead): "
                            + ignored.stream()
                                    .limit(5)
                                    .map(each -> each.replaceAll("[^ -~]", "?"))
                                    .toList());
        }
        return found;
    }

    /**
     * Posts the changes of {@code known} that the relay lacks, except those that {@code local} accepts. The first node
     * to see a change posts it for all.
     */
    void post(Collection<SwitchChange> known, Predicate<SwitchChange> local) {
        try {
            for (SwitchChange each : known) {
                String id = each.name().id();
                if (each.isAfter(byId.get(id)) && !local.test(each)) {
                    relay.post(id, each.stamp(), each.text());
                    Map<String, SwitchChange> next = new HashMap<>(byId);
                    next.put(id, each);
                    byId = next;
                }
            }
        } catch (IOException e) {
            reached(false, String.valueOf(e.getMessage()));
        }
    }

    private void reached(boolean works, String why) {
        if (failed == works) {
            failed = !works;
            LOG.log(
                    works ? Level.INFO : Level.WARNING,
                    works ? "switches are read from Redis again" : "switches cannot be read from Redis: " + why);
        }
    }
}
