package dev.weir.server.rlqs;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A queue that takes from each address in turn, and from one address in the order of arrival. */
final class PeerQueue<T> {
    /** Only those with items; the next one to take from is the first. */
    private final Map<String, Queue<T>> byAddress = new LinkedHashMap<>();

    private int size;

    void add(String address, T item) {
        byAddress.computeIfAbsent(address, key -> new ArrayDeque<>(4)).add(item);
        size++;
    }

    /** Removes the next item; null if there is none. */
    @Nullable
    T poll() {
        Iterator<Map.Entry<String, Queue<T>>> each = byAddress.entrySet().iterator();
        if (!each.hasNext()) {
            return null;
        }
        Map.Entry<String, Queue<T>> next = each.next();
        String address = next.getKey();
        Queue<T> items = next.getValue();
        each.remove();
        T item = items.remove();
        size--;
        if (!items.isEmpty()) {
            byAddress.put(address, items);
        }
        return item;
    }

    int size() {
        return size;
    }

    /** The items of {@code address}. */
    int size(String address) {
        Queue<T> items = byAddress.get(address);
        return items == null ? 0 : items.size();
    }
}
