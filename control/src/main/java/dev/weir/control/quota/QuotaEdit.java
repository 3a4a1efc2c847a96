package dev.weir.control.quota;

import dev.weir.control.change.DeleteEdit;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Edits that set or delete a caller's quota. */
public final class QuotaEdit {
    /** The name of quotas in the audit log. */
    public static final String KIND = "quota";

    private QuotaEdit() {}

    public static Edit put(StoredQuota quota) {
        return new Edit() {
            @Override
            public Edit.@Nullable Existing existing(Connection connection) throws SQLException {
                return found(connection, quota.apiKey());
            }

            @Override
            public String apply(Connection connection, StoredVersion stored) throws SQLException {
                QuotaTable.put(connection, quota.withVersion(stored));
                return quota.json();
            }
        };
    }

    public static Edit delete(String apiKey) {
        return new DeleteEdit(apiKey, QuotaEdit::found, QuotaTable::delete, "no quota is set for this api_key");
    }

    private static Edit.@Nullable Existing found(Connection connection, String apiKey) throws SQLException {
        StoredQuota quota = QuotaTable.get(connection, apiKey);
        return quota == null ? null : new Edit.Existing(quota.stored().version(), quota.json());
    }
}
