package dev.weir.control;

import dev.weir.control.audit.Author;
import dev.weir.control.change.Change;
import dev.weir.control.change.ConditionalChanges;
import dev.weir.control.change.Edit;
import dev.weir.control.change.FollowedKind;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A kind of event that is only recorded in the audit log. Nodes have nothing to follow here. */
final class AuditOnlyKind implements FollowedKind {
    /** Resets of counters. */
    static final AuditOnlyKind COUNTER = new AuditOnlyKind("counter");

    /** Edits of rule files, which are in force when they are recorded. */
    static final AuditOnlyKind RULE_FILE = new AuditOnlyKind("file");

    /** The length of the column {@code subject}. */
    private static final int LONGEST_SUBJECT = 256;

    private final String kind;

    private AuditOnlyKind(String kind) {
        this.kind = kind;
    }

    /** Records an event with the state before, and after it unless that is gone. */
    Change record(ConditionalChanges changes, Author author, String subject, String before, @Nullable String after) {
        String name = subject.length() <= LONGEST_SUBJECT ? subject : subject.substring(0, LONGEST_SUBJECT - 1) + "…";
        return changes.make(author, kind, name, new Precondition.None(), false, new Edit() {
            @Override
            public Edit.Existing existing(Connection connection) {
                return new Edit.Existing(0, before);
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) {
                return after;
            }
        });
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public Runnable readAll(Connection connection) {
        return () -> {};
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) {
        return () -> {};
    }
}
