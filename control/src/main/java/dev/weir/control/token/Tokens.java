package dev.weir.control.token;

import dev.weir.control.audit.Author;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.ConditionalChanges;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.DeleteEdit;
import dev.weir.control.change.Edit;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creates, rotates and revokes admin tokens. Every change is audited and blocks. */
public final class Tokens implements AutoCloseable {
    /** The name of tokens in the audit log. */
    public static final String KIND = "token";

    /** The audit log's name for the holder of the token in the settings; no stored token may have it. */
    public static final String FIXED = "admin_token";

    /** The longest time that a replaced secret is still accepted. */
    public static final Duration LONGEST_GRACE = Duration.ofDays(30);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");

    private final Database database;
    private final ConditionalChanges changes;
    private final TokenCache cache;
    private final TokenUse use;

    public Tokens(Database database, ConditionalChanges changes, DatabaseFollower follower, TokenCache cache) {
        this.database = database;
        this.changes = changes;
        this.cache = cache;
        this.use = new TokenUse(database, follower, cache);
    }

    /**
     * A token that was created or rotated.
     *
     * @param text the token that its holder presents, which cannot be shown again; null after a dry run
     */
    public record Issued(
            Change change, StoredToken token, @Nullable TokenText text) {}

    /** Returns the cache in which presented tokens are looked up. */
    public TokenCache book() {
        return cache;
    }

    /**
     * Creates a token.
     *
     * @throws ChangeRefusedException if the name is invalid or in use, or the expiry is in the past
     */
    public Issued create(Author author, String name, Role role, @Nullable Instant expiresAt, boolean dryRun) {
        if (!NAME.matcher(name).matches() || name.equals(FIXED)) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID,
                    "name: \"" + name.substring(0, Math.min(64, name.length()))
                            + "\" (expected: up to 64 letters, digits and . _ @ -, not " + FIXED + ")");
        }
        inFuture(expiresAt);
        TokenText text = TokenText.random();
        return issue(author, text, new Precondition.Absent(), dryRun, new Writing() {
            @Override
            public @Nullable StoredToken before(Connection connection) throws SQLException {
                StoredToken other = TokenTable.find(connection, name);
                if (other != null) {
                    throw new ChangeRefusedException(
                            ChangeRefusedException.Cause.TAKEN, "name: there is a token named " + name + " already");
                }
                return null;
            }

            @Override
            public StoredToken write(Connection connection, @Nullable StoredToken none, StoredVersion stored)
                    throws SQLException {
                StoredToken token = new StoredToken(
                        text.id(), name, role, text.hash(), null, stored.at(), stored.by(), expiresAt, null, stored);
                TokenTable.insert(connection, token);
                return token;
            }
        });
    }

    /**
     * Gives a token a new secret; the previous one is accepted for {@code grace} more.
     *
     * @param expiresAt the new expiry; null: unchanged
     */
    public Issued rotate(
            Author author,
            String nameOrId,
            Duration grace,
            @Nullable Instant expiresAt,
            Precondition precondition,
            boolean dryRun) {
        if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID, "grace: " + grace + " (expected: 0s to 30d)");
        }
        inFuture(expiresAt);
        TokenText text = TokenText.withId(idOf(nameOrId));
        return issue(author, text, precondition, dryRun, new Writing() {
            @Override
            public StoredToken before(Connection connection) throws SQLException {
                return required(TokenTable.get(connection, text.id()), nameOrId);
            }

            @Override
            public StoredToken write(Connection connection, @Nullable StoredToken old, StoredVersion stored)
                    throws SQLException {
                StoredToken before = required(old, nameOrId);
                if (expiresAt == null && before.isExpired(stored.at())) {
                    throw new ChangeRefusedException(
                            ChangeRefusedException.Cause.INVALID,
                            "expires_at: the token expired at " + before.expiresAt() + " (expected: a new time)");
                }
                StoredToken token = new StoredToken(
                        before.id(),
                        before.name(),
                        before.role(),
                        text.hash(),
                        grace.isZero()
                                ? null
                                : new StoredToken.Previous(
                                        before.hash(), stored.at().plus(grace)),
                        before.createdAt(),
                        before.createdBy(),
                        expiresAt == null ? before.expiresAt() : expiresAt,
                        before.usedAt(),
                        stored);
                TokenTable.update(connection, token);
                return token;
            }
        });
    }

    /** Revokes a token. */
    public Change revoke(Author author, String nameOrId, Precondition precondition, boolean dryRun) {
        String id = idOf(nameOrId);
        Edit deletion = new DeleteEdit(
                id,
                (connection, same) -> found(TokenTable.get(connection, same)),
                TokenTable::delete,
                missing(nameOrId));
        return changes.make(author, KIND, id, precondition, dryRun, deletion);
    }

    /** Returns all tokens by name, with their last use; from memory if the database is unreachable. */
    public List<StoredToken> all() {
        List<StoredToken> all;
        try {
            all = database.transaction(TokenTable::all);
        } catch (DatabaseException e) {
            all = List.copyOf(cache.all());
        }
        return all.stream()
                .map(use::of)
                .sorted(Comparator.comparing(StoredToken::name))
                .toList();
    }

    /** Reads and writes one token. */
    private interface Writing {
        @Nullable
        StoredToken before(Connection connection) throws SQLException;

        StoredToken write(Connection connection, @Nullable StoredToken before, StoredVersion stored)
                throws SQLException;
    }

    private Issued issue(Author author, TokenText text, Precondition precondition, boolean dryRun, Writing writing) {
        @Nullable StoredToken[] tokens = new StoredToken[2];
        Change change = changes.make(author, KIND, text.id(), precondition, dryRun, new Edit() {
            @Override
            public Edit.@Nullable Existing existing(Connection connection) throws SQLException {
                StoredToken before = writing.before(connection);
                tokens[0] = before;
                return found(before);
            }

            @Override
            public String apply(Connection connection, StoredVersion stored) throws SQLException {
                StoredToken token = writing.write(connection, tokens[0], stored);
                tokens[1] = token;
                return token.json();
            }
        });
        StoredToken issued = tokens[1];
        if (issued == null) {
            throw new IllegalStateException("the edit wrote no token");
        }
        return new Issued(change, issued, dryRun ? null : text);
    }

    private String idOf(String nameOrId) {
        return database.transaction(connection ->
                required(TokenTable.find(connection, nameOrId), nameOrId).id());
    }

    private static StoredToken required(@Nullable StoredToken token, String nameOrId) {
        if (token == null) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, missing(nameOrId));
        }
        return token;
    }

    private static String missing(String nameOrId) {
        return "there is no token named " + nameOrId;
    }

    private static Edit.@Nullable Existing found(@Nullable StoredToken token) {
        return token == null ? null : new Edit.Existing(token.stored().version(), token.json());
    }

    private static void inFuture(@Nullable Instant expiresAt) {
        if (expiresAt != null && !expiresAt.isAfter(Instant.now().truncatedTo(ChronoUnit.MILLIS))) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID,
                    "expires_at: " + expiresAt + " (expected: a time in the future)");
        }
    }

    /** Saves the last uses of tokens. */
    @Override
    public void close() {
        use.close();
    }
}
