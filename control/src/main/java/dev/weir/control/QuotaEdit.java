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
        return new Deletion(apiKey, QuotaEdit::found, QuotaTable::delete, "nothing was agreed with this api_key");
    }

    private static Changes.@Nullable Existing found(Connection connection, String apiKey) throws SQLException {
        StoredQuota quota = QuotaTable.get(connection, apiKey);
        return quota == null ? null : new Changes.Existing(quota.stored().version(), quota.json());
    }
}
