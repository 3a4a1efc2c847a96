package dev.weir.control.change;

import dev.weir.control.audit.Author;
import dev.weir.control.database.DatabaseException;
import java.lang.System.Logger.Level;

/** Changes one thing under a precondition; when it returns, the change is in force on this node. */
public final class ConditionalChanges {
    private static final System.Logger LOG = System.getLogger(ConditionalChanges.class.getName());

    private final AuditedTransactions ledger;
    private final DatabaseFollower follower;

    public ConditionalChanges(AuditedTransactions ledger, DatabaseFollower follower) {
        this.ledger = ledger;
        this.follower = follower;
    }

    /**
     * Makes a change, or only finds out what it would do.
     *
     * @throws ChangeRefusedException if the precondition does not hold
     */
    public Change make(
            Author author, String kind, String subject, Precondition precondition, boolean dryRun, Edit edit) {
        Change change;
        try {
            change = ledger.change(author, kind, subject, precondition, dryRun, edit);
        } catch (DatabaseException e) {
            // The subject is not logged: it may be an API key.
            LOG.log(Level.WARNING, "a change by " + author.name() + " (" + kind + ") is not made: " + e.getMessage());
            throw e;
        }
        if (change.version() > 0) {
            follower.sync();
        }
        return change;
    }
}
