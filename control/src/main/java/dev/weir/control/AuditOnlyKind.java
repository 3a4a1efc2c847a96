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

/** Records resets of counters in the audit log. Nodes have nothing to follow here. */
final class CounterResets implements FollowedKind {
    private static final String KIND = "counter";
    /** The length of the column {@code subject}. */
    private static final int LONGEST_SUBJECT = 256;

    /** Records that the counters shown in {@code before} are reset. */
    static Change record(ConditionalChanges changes, Author author, String subject, String before) {
        String name = subject.length() <= LONGEST_SUBJECT ? subject : subject.substring(0, LONGEST_SUBJECT - 1) + "…";
        return changes.make(author, KIND, name, new Precondition.None(), false, new Edit() {
            @Override
            public Edit.Existing existing(Connection connection) {
                return new Edit.Existing(0, before);
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) {
                return null;
            }
        });
    }

    @Override
    public String kind() {
        return KIND;
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
