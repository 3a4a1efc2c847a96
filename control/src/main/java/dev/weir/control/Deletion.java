package dev.weir.control;

import dev.weir.control.data.Stored;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * How a thing is taken away that must be there.
 *
 * @param missing what to say if it is not
 */
record Deletion(String id, Finding finding, Deleting deleting, String missing) implements Changes.Editing {

    interface Finding {
        Changes.@Nullable Existing find(Connection connection, String id) throws SQLException;
    }

    interface Deleting {
        void delete(Connection connection, String id) throws SQLException;
    }

    @Override
    public Changes.Existing existing(Connection connection) throws SQLException {
        Changes.Existing found = finding.find(connection, id);
        if (found == null) {
            throw new RefusedException(RefusedException.Cause.MISSING, missing);
        }
        return found;
    }

    @Override
    public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
        deleting.delete(connection, id);
        return null;
    }
}
