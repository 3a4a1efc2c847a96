package dev.weir.control.change;

import dev.weir.control.audit.Author;
import dev.weir.control.database.DatabaseException;
import java.lang.System.Logger.Level;

/** Changes one record under a precondition. When a change returns, it is in force on this node. */
public final class ConditionalChanges {
    private static final System.Logger LOG = System.getLogger(ConditionalChanges.class.getName());

    private final AuditedTransactions transactions;
    private final DatabaseFollower follower;

    public ConditionalChanges(AuditedTransactions transactions, DatabaseFollower follower) {
        this.transactions = transactions;
        this.follower = follower;
    }

    /**
     * Makes a change, or with {@code dryRun} only finds out what it would do.
     *
     * @throws ChangeRefusedException if the precondition does not hold
     */
    public Change make(
            Author author, String kind, String subject, Precondition precondition, boolean dryRun, Edit edit) {
        Change change;
        try {
            change = transactions.change(author, kind, subject, precondition, dryRun, edit);
        } catch (DatabaseException e) {
            // The subject is not logged: it may be an API key.
            LOG.log(Level.WARNING, "a change by " + author.name() + " (" + kind + ") was not made: " + e.getMessage());
            throw e;
        }
        if (change.version() > 0) {
            follower.sync();
        }
        return change;
    }
}
