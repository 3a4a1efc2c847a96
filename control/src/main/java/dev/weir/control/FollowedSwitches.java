package dev.weir.control;

import dev.weir.control.switches.Switch;
import dev.weir.control.switches.SwitchTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Brings switches of the database to whoever takes them in. */
record FollowedSwitches(Consumer<List<Switch>> taking) implements Followed {
    static final String KIND = "switch";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<Switch> all = SwitchTable.all(connection);
        return () -> taking.accept(all);
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        List<Switch> some = new ArrayList<>();
        for (String each : subjects) {
            Switch last = SwitchTable.get(connection, each);
            if (last != null) {
                some.add(last);
            }
        }
        return () -> taking.accept(some);
    }
}
