package dev.weir.control.switches;

import dev.weir.control.change.FollowedKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads switches from the database and passes them on.
 *
 * @param all receives all switches
 * @param some receives those that have changed
 */
public record FollowedSwitches(Consumer<List<SwitchChange>> all, Consumer<List<SwitchChange>> some)
        implements FollowedKind {
    static final String KIND = "switch";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<SwitchChange> read = SwitchTable.all(connection);
        return () -> all.accept(read);
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        List<SwitchChange> read = new ArrayList<>();
        for (String each : subjects) {
            SwitchChange last = SwitchTable.get(connection, each);
            if (last != null) {
                read.add(last);
            }
        }
        return () -> some.accept(read);
    }
}
