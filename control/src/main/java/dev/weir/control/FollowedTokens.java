package dev.weir.control;

import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenBook;
import dev.weir.control.token.TokenTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Brings tokens into the book. */
record FollowedTokens(TokenBook book, Runnable changed) implements Followed {
    static final String KIND = "token";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<StoredToken> all = TokenTable.all(connection);
        return () -> {
            book.setAll(all);
            changed.run();
        };
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        Map<String, @Nullable StoredToken> some = new LinkedHashMap<>();
        for (String each : subjects) {
            some.put(each, TokenTable.get(connection, each));
        }
        return () -> {
            some.forEach(book::set);
            changed.run();
        };
    }
}
