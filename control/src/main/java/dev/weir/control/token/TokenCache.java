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

/** Every token that there is, in memory: whoever knocks is known without asking a database. */
public final class TokenCache {
    /** Compared where there is nothing to compare, so that an unknown id takes as long as a wrong secret. */
    private static final String NOBODY = TokenText.hash("nobody");

    private final Map<String, Instant> used = new ConcurrentHashMap<>();
    /** By id; null until it is known what there is. */
    private volatile @Nullable Map<String, StoredToken> tokens;

    /** What came of something that was presented. */
    public sealed interface Found {
        /** It opens. */
        record Known(StoredToken token) implements Found {}

        /** It did open once. */
        record Expired(StoredToken token) implements Found {}

        /** It is not the token that it claims to be, or none is known by that id. */
        record Unknown() implements Found {}
    }

    /** Whose token {@code presented} is. */
    public Found find(String presented, Instant now) {
        TokenText text = TokenText.parse(presented);
        Map<String, StoredToken> known = tokens;
        StoredToken token = text == null || known == null ? null : known.get(text.id());
        if (text == null || token == null) {
            var unused = TokenText.same(NOBODY, TokenText.hash(presented));
            return new Found.Unknown();
        }
        if (!token.opens(text.hash(), now)) {
            return new Found.Unknown();
        }
        if (token.isExpired(now)) {
            return new Found.Expired(token);
        }
        used.merge(token.id(), now.truncatedTo(ChronoUnit.MINUTES), (one, other) -> one.isAfter(other) ? one : other);
        return new Found.Known(token);
    }

    /** Whether it is known at all what tokens there are: not while a server starts without its database and has no copy. */
    public boolean isRead() {
        return tokens != null;
    }

    /** Whether there is a token for everything, also one that has run out. */
    public boolean hasAdmin() {
        return all().stream().anyMatch(each -> each.role() == Role.ADMIN);
    }

    /** Whether there is a token with this id. */
    public boolean knows(String id) {
        Map<String, StoredToken> known = tokens;
        return known != null && known.containsKey(id);
    }

    public int size() {
        return all().size();
    }

    /** All of them, in no order. */
    public Collection<StoredToken> all() {
        Map<String, StoredToken> known = tokens;
        return known == null ? List.of() : known.values();
    }

    /** When this node has last seen {@code id} used; null if it has not since it started. */
    public @Nullable Instant used(String id) {
        return used.get(id);
    }

    /** When tokens were used that this node has seen. */
    public Map<String, Instant> used() {
        return Map.copyOf(used);
    }

    /** Takes what there is in the place of what there was. */
    public void setAll(Collection<StoredToken> all) {
        tokens = all.stream().collect(Collectors.toUnmodifiableMap(StoredToken::id, each -> each));
    }

    /** {@code token} is null for one that is gone. */
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
