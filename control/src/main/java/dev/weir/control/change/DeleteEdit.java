package dev.weir.control.change;

import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes a record that must exist.
 *
 * @param missing the error message if it does not exist
 */
public record DeleteEdit(String id, Finding finding, Deleting deleting, String missing) implements Edit {

    public interface Finding {
        Edit.@Nullable Existing find(Connection connection, String id) throws SQLException;
    }

    public interface Deleting {
        void delete(Connection connection, String id) throws SQLException;
    }

    @Override
    public Existing existing(Connection connection) throws SQLException {
        Existing found = finding.find(connection, id);
        if (found == null) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, missing);
        }
        return found;
    }

    @Override
    public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
        deleting.delete(connection, id);
        return null;
    }
}
