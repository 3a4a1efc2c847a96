package dev.weir.internal.match.keyby;

import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.counter.CounterNameEncoder;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.IpAddress;
import java.util.Arrays;

/**
 * The names and values of one counter key, in order: hashed for the store, or written out for people.
 *
 * <p>The encoding is injective. An element is its value, or a number, which no text equals, that says what follows: the
 * alternative that the value belongs to, 128 bits of an address, a wildcard that many values share, or nothing because
 * the value is missing. The prefix of the hash contains the number of elements.
 */
public final class CounterKeyValues {
    /** Marks a value that may be an address; if it is one, it counts by its bits. */
    public static final int MAYBE_ADDRESS = 1 << 30;
    /** Marks a wildcard that all its values share. */
    public static final int SHARED = 1 << 29;

    public static final int MISSING = 1 << 28;
    private static final int ADDRESS = 1 << 27;

    private String[] names = new String[8];
    private String[] values = new String[8];
    private int[] tags = new int[8];
    private int size;
    private final IpAddress address = new IpAddress();

    public void clear() {
        size = 0;
    }

    /** Also forgets the strings, including those of a walk that went deeper. */
    public void end() {
        size = 0;
        Arrays.fill(names, null);
        Arrays.fill(values, null);
    }

    public int size() {
        return size;
    }

    /** Takes over the parts of {@code other}. */
    public void set(CounterKeyValues other) {
        size = other.size;
        if (size > names.length) {
            names = new String[size];
            values = new String[size];
            tags = new int[size];
        }
        System.arraycopy(other.names, 0, names, 0, size);
        System.arraycopy(other.values, 0, values, 0, size);
        System.arraycopy(other.tags, 0, tags, 0, size);
    }

    /** Adds a part; {@code tag} is the number of the alternative, 0 if there is but one, with the flags above. */
    public void add(String name, String value, int tag) {
        set(size++, name, value, tag);
    }

    /** Writes the value at {@code index}, for a walk of a tree that returns. */
    public void set(int index, String name, String value, int tag) {
        if (index == names.length) {
            names = Arrays.copyOf(names, index * 2);
            values = Arrays.copyOf(values, index * 2);
            tags = Arrays.copyOf(tags, index * 2);
        }
        names[index] = name;
        values[index] = value;
        tags[index] = tag;
    }

    public void size(int size) {
        this.size = size;
    }

    String name(int index) {
        return names[index];
    }

    public void hash(CounterKeyHash hash, int ipv6Prefix) {
        for (int i = 0; i < size; i++) {
            int tag = tags[i];
            if ((tag & MAYBE_ADDRESS) != 0) {
                tag &= ~MAYBE_ADDRESS;
                if (readAddress(values[i], ipv6Prefix)) {
                    hash.add(tag | ADDRESS).add(address.high()).add(address.low());
                    continue;
                }
            }
            if (tag != 0) {
                hash.add(tag);
            }
            if (tag != MISSING) {
                hash.add(values[i]);
            }
        }
    }

    /** Adds the value at {@code index} to a counter's name, with the same distinctions as its hash. */
    void write(int index, CounterNameEncoder name, int ipv6Prefix) {
        int tag = tags[index] & ~MAYBE_ADDRESS;
        int alternative = tag & ~(SHARED | MISSING);
        boolean isAddress = (tags[index] & MAYBE_ADDRESS) != 0 && readAddress(values[index], ipv6Prefix);
        if (tag != 0 || isAddress) {
            name.plain("!");
            if (alternative != 0) {
                name.number(alternative);
            }
            name.plain((tag & MISSING) != 0 ? "m!" : (tag & SHARED) != 0 ? "s!" : isAddress ? "a!" : "!");
        }
        if (isAddress) {
            address.write(name);
        } else if ((tag & MISSING) == 0) {
            name.escaped(values[index]);
        }
    }

    /** Adds the subject of the key, its first attribute and value; keys that begin alike have the same subject. */
    CounterKeyHash subject(CounterKeyHash hash, int ipv6Prefix) {
        if ((tags[0] & MAYBE_ADDRESS) != 0 && readAddress(values[0], ipv6Prefix)) {
            // Addresses have several names.
            return hash.add(Attributes.IP).add(address.high()).add(address.low());
        }
        hash.add(names[0]);
        return (tags[0] & MISSING) != 0 ? hash.add(MISSING) : hash.add(values[0]);
    }

    private boolean readAddress(String value, int ipv6Prefix) {
        if (!address.read(value)) {
            return false;
        }
        if (!address.isIpv4()) {
            address.mask(ipv6Prefix);
        }
        return true;
    }

    /** {@code api_key=abc, ip=10.0.0.1}, safe to show: what callers send is cut short and escaped. */
    public String text(int ipv6Prefix) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ");
            SafeText.append(text, names[i]);
            if ((tags[i] & MISSING) != 0) {
                text.append(" missing");
            } else if ((tags[i] & MAYBE_ADDRESS) != 0 && readAddress(values[i], ipv6Prefix)) {
                text.append('=').append(address.isIpv4() ? address.toString() : address + "/" + ipv6Prefix);
            } else {
                SafeText.append(text.append('='), values[i]);
            }
        }
        return text.toString();
    }
}
