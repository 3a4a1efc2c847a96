package dev.weir.control.token;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All tokens in memory, so that a presented token is checked without a database call. */
public final class TokenCache {
    /** A hash to compare with if the id is unknown, so that an unknown id takes as long as a wrong secret. */
    private static final String NOBODY = TokenText.hash("nobody");

    private final Map<String, Instant> used = new ConcurrentHashMap<>();
    /** The tokens by id; null until they are first read. */
    private volatile @Nullable Map<String, StoredToken> tokens;

    /** Why the tokens are unknown, and the cure. */
    private volatile String unknown = "";

    /** The result of looking up a presented token. */
    public sealed interface Found {
        /** The token is valid. */
        record Known(StoredToken token) implements Found {}

        /** The token has expired. */
        record Expired(StoredToken token) implements Found {}

        /** The id is unknown, or the secret is wrong. */
        record Unknown() implements Found {}
    }

    /** Looks up a presented token. */
    public Found find(String presented, Instant now) {
        TokenText text = TokenText.parse(presented);
        Map<String, StoredToken> known = tokens;
        StoredToken token = text == null || known == null ? null : known.get(text.id());
        if (text == null || token == null) {
            var unused = TokenText.same(NOBODY, TokenText.hash(presented));
            return new Found.Unknown();
        }
        if (!token.accepts(text.hash(), now)) {
            return new Found.Unknown();
        }
        if (token.isExpired(now)) {
            return new Found.Expired(token);
        }
        used.merge(token.id(), now.truncatedTo(ChronoUnit.MINUTES), (one, other) -> one.isAfter(other) ? one : other);
        return new Found.Known(token);
    }

    /**
     * Returns whether the tokens were read. They are not if the server started without its database and without a copy.
     */
    public boolean isRead() {
        return tokens != null;
    }

    /** Records that the tokens are lost: nobody may be let in for want of them. {@code why} says the cure as well. */
    public void lost(String why) {
        unknown = why;
    }

    /** Returns why the tokens are {@linkplain #lost lost}; null if they are not. */
    public @Nullable String lost() {
        return tokens != null || unknown.isEmpty() ? null : unknown;
    }

    /** Returns whether there is an admin token, also an expired one. */
    public boolean hasAdmin() {
        return all().stream().anyMatch(each -> each.role() == Role.ADMIN);
    }

    /** Returns whether there is a token with this id. */
    public boolean knows(String id) {
        Map<String, StoredToken> known = tokens;
        return known != null && known.containsKey(id);
    }

    public int size() {
        return all().size();
    }

    /** Returns all tokens, in no order. */
    public Collection<StoredToken> all() {
        Map<String, StoredToken> known = tokens;
        return known == null ? List.of() : known.values();
    }

    /** Returns when this node last saw the token used; null if it has not since it started. */
    public @Nullable Instant used(String id) {
        return used.get(id);
    }

    /** Returns the last use of every token that this node has seen used. */
    public Map<String, Instant> used() {
        return Map.copyOf(used);
    }

    /** Replaces all tokens. */
    public void setAll(Collection<StoredToken> all) {
        tokens = all.stream().collect(Collectors.toUnmodifiableMap(StoredToken::id, each -> each));
    }

    /** Replaces one token; null removes it. */
    public void set(String id, @Nullable StoredToken token) {
        Map<String, StoredToken> known = tokens;
        Map<String, StoredToken> next = new HashMap<>(known == null ? Map.of() : known);
        if (token == null) {
            next.remove(id);
            used.remove(id);
        } else {
            next.put(id, token);
        }
        tokens = Map.copyOf(next);
    }
}
