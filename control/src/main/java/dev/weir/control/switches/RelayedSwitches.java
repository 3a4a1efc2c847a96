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

/** What is posted on the board that nodes share, as far as it could be read. One thread at a time. */
final class RelayedSwitches {
    private static final System.Logger LOG = System.getLogger(RelayedSwitches.class.getName());
    /** A clock that is further ahead than this is not believed: nobody could switch after it. */
    private static final long FURTHEST_AHEAD_MILLIS = Duration.ofDays(1).toMillis();

    private static final int MOST = 10_000;
    private static final int LONGEST = 8 << 10;

    private final SwitchRelay board;
    private Map<String, SwitchChange> byId = Map.of();
    private boolean failed;

    RelayedSwitches(SwitchRelay board) {
        this.board = board;
    }

    Collection<SwitchChange> all() {
        return byId.values();
    }

    /** Whether the board did not answer when it was last asked. */
    boolean failed() {
        return failed;
    }

    /** Reads the board; whether anything is new on it. */
    boolean read() {
        try {
            Map<String, String> texts = board.read();
            if (texts != null) {
                byId = parsed(texts);
            }
            answers(true, "");
            return texts != null;
        } catch (IOException e) {
            answers(false, String.valueOf(e.getMessage()));
            return false;
        }
    }

    private static Map<String, SwitchChange> parsed(Map<String, String> texts) {
        Map<String, SwitchChange> found = new HashMap<>();
        List<String> strange = new ArrayList<>();
        long latest = System.currentTimeMillis() + FURTHEST_AHEAD_MILLIS;
        texts.forEach((id, text) -> {
            try {
                SwitchChange each = text.length() > LONGEST ? null : SwitchJson.read(text);
                boolean fits = each != null && each.name().id().equals(id) && each.stamp() < latest;
                if (fits && each != null && found.size() < MOST) {
                    found.put(id, each);
                } else {
                    strange.add(id);
                }
            } catch (IOException e) {
                strange.add(id);
            }
        });
        if (!strange.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    strange.size() + " switches in Redis are none, or of a day to come, and are passed over: "
                            + strange.stream()
                                    .limit(5)
                                    .map(each -> each.replaceAll("[^ -~]", "?"))
                                    .toList());
        }
        return found;
    }

    /** Posts what of {@code known} the board lacks, but for what is {@code kept} back; whoever is first does it for all. */
    void post(Collection<SwitchChange> known, Predicate<SwitchChange> kept) {
        try {
            for (SwitchChange each : known) {
                String id = each.name().id();
                if (each.isAfter(byId.get(id)) && !kept.test(each)) {
                    board.post(id, each.stamp(), each.text());
                    Map<String, SwitchChange> next = new HashMap<>(byId);
                    next.put(id, each);
                    byId = next;
                }
            }
        } catch (IOException e) {
            answers(false, String.valueOf(e.getMessage()));
        }
    }

    private void answers(boolean works, String why) {
        if (failed == works) {
            failed = !works;
            LOG.log(
                    works ? Level.INFO : Level.WARNING,
                    works ? "switches are read from Redis again" : "switches cannot be read from Redis: " + why);
        }
    }
}
