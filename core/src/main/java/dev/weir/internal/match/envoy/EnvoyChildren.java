package dev.weir.internal.match.envoy;

import dev.weir.internal.match.pattern.Glob;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The children of a node that have one key: by exact value, by wildcard in the order of the file, by the key alone. */
class EnvoyChildren {
    private static final Glob[] NO_GLOBS = {};
    private static final EnvoyNode[] NO_NODES = {};

    private @Nullable String key;
    private @Nullable EnvoyNodeTable exact;
    private Glob[] globs = NO_GLOBS;
    private EnvoyNode[] wildcards = NO_NODES;
    private @Nullable EnvoyNode keyOnly;

    /** Whether there are no children. */
    final boolean isLeaf() {
        return key == null;
    }

    final boolean isOf(String key) {
        return key.equals(this.key);
    }

    final void addOfKey(EnvoyNode child) {
        key = child.key;
        String value = child.value;
        boolean twice;
        if (value.isEmpty()) {
            twice = keyOnly != null;
            keyOnly = child;
        } else {
            // Wildcards are here too: as in the reference, a value that equals the wildcard's text takes it before any
            // other match.
            exact = exact == null ? new EnvoyNodeTable() : exact;
            twice = !exact.add(child);
            if (value.indexOf('*') >= 0) {
                globs = append(globs, new Glob(value));
                wildcards = append(wildcards, child);
            }
        }
        if (twice) {
            throw new IllegalArgumentException(
                    "descriptor: " + key + (value.isEmpty() ? "" : "=" + value) + " (twice)");
        }
    }

    private static <T> T[] append(T[] array, T last) {
        T[] longer = Arrays.copyOf(array, array.length + 1);
        longer[array.length] = last;
        return longer;
    }

    /** The child for {@code value}: the exact one, else the first wildcard that matches, else that of the key alone. */
    final @Nullable EnvoyNode taking(String value) {
        EnvoyNode specific = askingFor(value);
        return specific != null ? specific : keyOnly;
    }

    /** The child for {@code value}, exact or by wildcard, but not that of the key alone. */
    final @Nullable EnvoyNode askingFor(String value) {
        EnvoyNode found = exact == null ? null : exact.get(value);
        for (int i = 0; found == null && i < globs.length; i++) {
            found = globs[i].matches(value) ? wildcards[i] : null;
        }
        return found;
    }
}
