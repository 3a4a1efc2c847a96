package dev.weir.control;

import dev.weir.control.data.Stored;
import dev.weir.control.quota.QuotaTable;
import dev.weir.control.quota.StoredQuota;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How what was agreed with a caller is written, and how it is ended. */
final class QuotaEdit {
    private QuotaEdit() {}

    static Changes.Editing put(StoredQuota quota) {
        return new Changes.Editing() {
            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                return found(connection, quota.apiKey());
            }

            @Override
            public String apply(Connection connection, Stored stored) throws SQLException {
                QuotaTable.put(connection, quota.as(stored));
                return quota.json();
            }
        };
    }

    static Changes.Editing delete(String apiKey) {
        return new Changes.Editing() {
            @Override
            public Changes.Existing existing(Connection connection) throws SQLException {
                Changes.Existing quota = found(connection, apiKey);
                if (quota == null) {
                    throw new RefusedException(RefusedException.Cause.MISSING, "nothing was agreed with this api_key");
                }
                return quota;
            }

            @Override
            public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
                QuotaTable.delete(connection, apiKey);
                return null;
            }
        };
    }

    private static Changes.@Nullable Existing found(Connection connection, String apiKey) throws SQLException {
        StoredQuota quota = QuotaTable.get(connection, apiKey);
        return quota == null ? null : new Changes.Existing(quota.stored().version(), quota.json());
    }
}
