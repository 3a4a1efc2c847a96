package dev.weir.control;

import dev.weir.control.change.FollowedKind;
import dev.weir.control.quota.QuotaCache;
import dev.weir.control.quota.QuotaEdit;
import dev.weir.control.quota.QuotaTable;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenTable;
import dev.weir.control.token.Tokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Copies the rows of a table into an in-memory cache. */
final class FollowedTable<T> implements FollowedKind {

    private final String kind;
    private final Table<T> table;
    private final Row<T> row;
    private final Consumer<List<T>> all;
    private final BiConsumer<String, @Nullable T> one;
    private final Runnable changed;

    private FollowedTable(
            String kind,
            Table<T> table,
            Row<T> row,
            Consumer<List<T>> all,
            BiConsumer<String, @Nullable T> one,
            Runnable changed) {
        this.kind = kind;
        this.table = table;
        this.row = row;
        this.all = all;
        this.one = one;
        this.changed = changed;
    }

    /** Copies tokens into {@code cache} and runs {@code changed} after each update. */
    static FollowedTable<StoredToken> tokens(TokenCache cache, Runnable changed) {
        return new FollowedTable<>(Tokens.KIND, TokenTable::all, TokenTable::get, cache::setAll, cache::set, changed);
    }

    /** Copies quotas into {@code cache} and runs {@code changed} after each update. */
    static FollowedTable<StoredQuota> quotas(QuotaCache cache, Runnable changed) {
        return new FollowedTable<>(
                QuotaEdit.KIND, QuotaTable::all, QuotaTable::get, cache::setAll, cache::set, changed);
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<T> read = table.all(connection);
        return () -> {
            all.accept(read);
            changed.run();
        };
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        Map<String, @Nullable T> some = new LinkedHashMap<>();
        for (String each : subjects) {
            some.put(each, row.get(connection, each));
        }
        return () -> {
            some.forEach(one);
            changed.run();
        };
    }

    private interface Table<T> {
        List<T> all(Connection connection) throws SQLException;
    }

    private interface Row<T> {
        @Nullable
        T get(Connection connection, String subject) throws SQLException;
    }
}
