package dev.weir.control;

import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.BanRows;
import dev.weir.control.change.FollowedKind;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table with the latest change of each switch or ban, and passes the changes on.
 *
 * @param all receives all rows
 * @param some receives those that have changed
 */
record FollowedChanges<T>(String kind, Table<T> table, Row<T> row, Consumer<List<T>> all, Consumer<List<T>> some)
        implements FollowedKind {

    /** Reads all rows. */
    interface Table<T> {
        List<T> read(Connection connection) throws SQLException;
    }

    /** Reads one row; null if there is none. */
    interface Row<T> {
        @Nullable
        T read(Connection connection, String id) throws SQLException;
    }

    static FollowedChanges<SwitchChange> switches(Consumer<List<SwitchChange>> all, Consumer<List<SwitchChange>> some) {
        return new FollowedChanges<>(SwitchTable.KIND, SwitchTable::all, SwitchTable::get, all, some);
    }

    static FollowedChanges<BanChange> bans(Consumer<List<BanChange>> all, Consumer<List<BanChange>> some) {
        return new FollowedChanges<>(BanRows.KIND, BanRows::all, BanRows::get, all, some);
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<T> read = table.read(connection);
        return () -> all.accept(read);
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        List<T> read = new ArrayList<>();
        for (String each : subjects) {
            T last = row.read(connection, each);
            if (last != null) {
                read.add(last);
            }
        }
        return () -> some.accept(read);
    }
}
