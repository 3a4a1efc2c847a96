package dev.weir.control.bans;

import dev.weir.control.change.FollowedKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads bans from the database and passes them on.
 *
 * @param all receives all rows
 * @param some receives those that have changed
 */
public record FollowedBans(Consumer<List<BanChange>> all, Consumer<List<BanChange>> some) implements FollowedKind {
    static final String KIND = "ban";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<BanChange> read = BanRows.all(connection);
        return () -> all.accept(read);
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        List<BanChange> read = new ArrayList<>();
        for (String each : subjects) {
            BanChange last = BanRows.get(connection, each);
            if (last != null) {
                read.add(last);
            }
        }
        return () -> some.accept(read);
    }
}
