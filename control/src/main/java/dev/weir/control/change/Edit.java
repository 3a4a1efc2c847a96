package dev.weir.control.change;

import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads one record and changes it, in one transaction. */
public interface Edit {
    /**
     * A record before the change.
     *
     * @param version the version that wrote it, which a {@link Precondition} is compared with
     * @param json the record for the audit log
     */
    record Existing(long version, String json) {}

    /** Reads the record; null if it does not exist. */
    @Nullable
    Existing existing(Connection connection) throws SQLException;

    /** Writes the record as {@code stored} and returns it as JSON; null if it no longer exists. */
    @Nullable
    String apply(Connection connection, StoredVersion stored) throws SQLException;
}
