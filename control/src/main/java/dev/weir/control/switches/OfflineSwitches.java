package dev.weir.control.switches;

import dev.weir.control.change.Change;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchChange.Via;
import java.io.IOException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Switching while the database is away: written to the journal of this node first, then posted on the board, unless this node is alone. */
final class OfflineSwitches {
    private static final System.Logger LOG = System.getLogger(OfflineSwitches.class.getName());

    private final SwitchJournal journal;
    private volatile @Nullable SwitchRelay board;

    OfflineSwitches(SwitchJournal journal) {
        this.journal = journal;
    }

    /** Posts on {@code next} from now on; null where there is none. */
    void over(@Nullable SwitchRelay next) {
        board = next;
    }

    /** Makes of {@code last} what is wanted; {@code local}: by this node on its own. */
    Switches.Switched make(SwitchRequest wish, @Nullable SwitchChange last, boolean local) {
        boolean set = last != null && last.setting() != null;
        wish.precondition().require(last == null || !set ? null : last.stamp());
        if (!set) {
            wish.requireSomething();
        }
        SwitchChange next = wish.after(last, local ? Via.LOCAL : Via.REDIS);
        String before = last == null ? null : last.after();
        if (wish.dryRun()) {
            return new Switches.Switched(new Change(before, next.after(), 0), null);
        }
        SwitchRelay to = board;
        if (to == null && !local) {
            throw new DatabaseException(
                    "the database does not answer, and there is no Redis to tell the other servers by:"
                            + " local=true (weir switch --local) switches this server alone");
        }
        SwitchJournal.Line line = write(next, before);
        if (!local && to != null) {
            post(to, next, line);
        }
        return new Switches.Switched(new Change(before, next.after(), next.stamp()), next);
    }

    private SwitchJournal.Line write(SwitchChange next, @Nullable String before) {
        try {
            return journal.add(next, before);
        } catch (IOException e) {
            throw new DatabaseException("the audit cannot be written, so nothing was switched: " + e.getMessage(), e);
        }
    }

    private void post(SwitchRelay to, SwitchChange next, SwitchJournal.Line line) {
        try {
            to.post(next.name().id(), next.stamp(), next.text());
        } catch (IOException e) {
            try {
                journal.takeBack(line);
            } catch (IOException stays) {
                LOG.log(Level.ERROR, "the journal has a line of a switch that was not made", stays);
            }
            throw new DatabaseException(
                    "neither the database nor Redis answers (" + e.getMessage()
                            + "): local=true (weir switch --local) switches this server alone",
                    e);
        }
    }
}
