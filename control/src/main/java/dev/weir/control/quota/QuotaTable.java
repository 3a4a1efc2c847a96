package dev.weir.control.quota;

import dev.weir.control.data.StoredVersion;
import dev.weir.rules.internal.quota.OverrideUnit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of {@code weir_quotas} and {@code weir_quota_overrides}. */
public final class QuotaTable {
    private static final String QUOTAS =
            "SELECT api_key, tier, effective_at, expires_at, version, updated_at, updated_by FROM weir_quotas";
    private static final String OVERRIDES = "SELECT api_key, descriptor, requests_per_unit, unit, burst, effective_at,"
            + " expires_at FROM weir_quota_overrides";

    private QuotaTable() {}

    public static List<StoredQuota> all(Connection connection) throws SQLException {
        try (PreparedStatement quotas = connection.prepareStatement(QUOTAS);
                PreparedStatement overrides =
                        connection.prepareStatement(OVERRIDES + " ORDER BY api_key, descriptor")) {
            return read(quotas, overrides);
        }
    }

    public static @Nullable StoredQuota get(Connection connection, String apiKey) throws SQLException {
        try (PreparedStatement quotas = connection.prepareStatement(QUOTAS + " WHERE api_key = ?");
                PreparedStatement overrides =
                        connection.prepareStatement(OVERRIDES + " WHERE api_key = ? ORDER BY descriptor")) {
            quotas.setString(1, apiKey);
            overrides.setString(1, apiKey);
            List<StoredQuota> found = read(quotas, overrides);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static List<StoredQuota> read(PreparedStatement quotas, PreparedStatement overrides) throws SQLException {
        Map<String, List<StoredOverride>> byKey = new HashMap<>();
        try (ResultSet rows = overrides.executeQuery()) {
            while (rows.next()) {
                byKey.computeIfAbsent(rows.getString(1), key -> new ArrayList<>())
                        .add(override(rows));
            }
        }
        List<StoredQuota> found = new ArrayList<>();
        try (ResultSet rows = quotas.executeQuery()) {
            while (rows.next()) {
                Instant at = rows.getObject(6, OffsetDateTime.class).toInstant();
                found.add(new StoredQuota(
                        rows.getString(1),
                        rows.getString(2),
                        byKey.getOrDefault(rows.getString(1), List.of()),
                        instant(rows, 3),
                        instant(rows, 4),
                        new StoredVersion(rows.getLong(5), at, rows.getString(7))));
            }
        }
        return found;
    }

    private static StoredOverride override(ResultSet rows) throws SQLException {
        OverrideUnit unit = OverrideUnit.called(rows.getString(4));
        if (unit == null) {
            throw new SQLException("weir_quota_overrides: unit " + rows.getString(4));
        }
        long burst = rows.getLong(5);
        boolean none = rows.wasNull();
        return new StoredOverride(
                rows.getString(2), rows.getLong(3), unit, none ? null : burst, instant(rows, 6), instant(rows, 7));
    }

    private static @Nullable Instant instant(ResultSet rows, int column) throws SQLException {
        OffsetDateTime time = rows.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** Replaces the quota and its overrides. */
    public static void put(Connection connection, StoredQuota quota) throws SQLException {
        delete(connection, quota.apiKey());
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO weir_quotas (api_key, tier, effective_at, expires_at, version, updated_at, updated_by)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, quota.apiKey());
            insert.setString(2, quota.tier());
            insert.setObject(3, utc(quota.effectiveAt()));
            insert.setObject(4, utc(quota.expiresAt()));
            insert.setLong(5, quota.stored().version());
            insert.setObject(6, utc(quota.stored().at()));
            insert.setString(7, quota.stored().by());
            insert.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO weir_quota_overrides (api_key, descriptor, requests_per_unit, unit, burst, effective_at,"
                        + " expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            for (StoredOverride each : quota.overrides()) {
                insert.setString(1, quota.apiKey());
                insert.setString(2, each.descriptor());
                insert.setLong(3, each.requestsPerUnit());
                insert.setString(4, each.unit().text());
                insert.setObject(5, each.burst(), java.sql.Types.BIGINT);
                insert.setObject(6, utc(each.effectiveAt()));
                insert.setObject(7, utc(each.expiresAt()));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    public static void delete(Connection connection, String apiKey) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM weir_quotas WHERE api_key = ?")) {
            delete.setString(1, apiKey);
            delete.executeUpdate();
        }
    }

    private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
    }
}
