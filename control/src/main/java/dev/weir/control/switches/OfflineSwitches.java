package dev.weir.control.switches;

import dev.weir.control.change.Change;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchChange.Via;
import java.io.IOException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Makes switch changes while the database is unreachable. Each is written to this node's journal first, then posted to
 * the relay, unless it is for this node alone. A full disk does not stop a change for this node alone.
 */
final class OfflineSwitches {
    private static final System.Logger LOG = System.getLogger(OfflineSwitches.class.getName());

    private final SwitchJournal journal;
    private volatile @Nullable RelayedSwitches relay;

    OfflineSwitches(SwitchJournal journal) {
        this.journal = journal;
    }

    /** Sets the relay; null if there is none. */
    void relay(@Nullable RelayedSwitches relay) {
        this.relay = relay;
    }

    /** Makes the change {@code request} after {@code last}; {@code local} changes this node alone. */
    Switches.Switched make(SwitchRequest request, @Nullable SwitchChange last, boolean local) {
        boolean set = last != null && last.setting() != null;
        request.precondition().require(last == null || !set ? null : last.stamp());
        if (!set) {
            request.requireSetting();
        }
        SwitchChange next = request.after(last, local ? Via.LOCAL : Via.REDIS);
        String before = last == null ? null : last.after();
        if (request.dryRun()) {
            return new Switches.Switched(new Change(before, next.after(), 0), null);
        }
        RelayedSwitches to = relay;
        if (to == null && !local) {
            throw new DatabaseException(
                    "the database does not answer, and there is no Redis to reach the other servers through:"
                            + " local=true (weir switch --local) switches this server alone");
        }
        SwitchJournal.Line line = local ? journal.addAnyway(next, before) : write(next, before);
        if (!local && to != null) {
            post(to, next, line);
        }
        return new Switches.Switched(new Change(before, next.after(), next.stamp()), next);
    }

    private SwitchJournal.Line write(SwitchChange next, @Nullable String before) {
        try {
            return journal.add(next, before);
        } catch (IOException e) {
            throw new DatabaseException(
                    "the switch journal cannot be written, so nothing was switched: " + e.getMessage()
                            + "; to switch this server alone: weir switch --local (local=true)",
                    e);
        }
    }

    private void post(RelayedSwitches to, SwitchChange next, SwitchJournal.Line line) {
        try {
            to.post(next);
        } catch (IOException e) {
            try {
                journal.remove(line);
            } catch (IOException failure) {
                LOG.log(Level.ERROR, "the switch journal has a line for a change that was not made", failure);
            }
            throw new DatabaseException(
                    "neither the database nor Redis answers (" + e.getMessage()
                            + "): local=true (weir switch --local) switches this server alone",
                    e);
        }
    }
}
