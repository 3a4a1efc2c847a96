package dev.weir.server.hpack;

/**
 * Estimates the memory of the table that the decoder of a connection keeps, from the bytes of its header blocks. A table
 * of 4 KiB, as HPACK counts, takes up to four times as much in the heap, and lives as long as its connection.
 *
 * <p><b>Estimate.</b> Only the fields that a block adds to the table count. The table keeps the last of them: as many as
 * fit, by the mean size of the last ones. A coded text counts with its coded length.
 */
public final class HeaderTableMemory {
    /** HTTP/2's default, which no port raises. */
    private static final int TABLE = 4_096;
    /** The bytes that HPACK counts for a field beside its characters: RFC 7541, 4.1. */
    private static final int COUNTED = 32;
    /** The objects of a field in the heap, beside its characters. */
    private static final int OBJECTS = 136;
    /** The highest shift of a length that a decoder accepts. */
    private static final int MOST_SHIFT = 28;

    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;
    private static final int PRIORITY_BYTES = 5;

    private enum Next {
        FIELD,
        /** The rest of a number that means nothing here; a field follows it. */
        NUMBER,
        /** The rest of the index of a name; a value follows it. */
        INDEX,
        NAME_LENGTH,
        NAME,
        VALUE_LENGTH,
        VALUE
    }

    /** The bytes of the current frame that were not taken yet, and how many of them are padding. */
    private int left;

    private int padding;
    private boolean paddingUnknown;
    /** Bytes to pass over before the header block begins. */
    private int priority;

    private Next next = Next.FIELD;
    /** Whether the current field is added to the table. */
    private boolean adds;
    /** The characters of the current field. */
    private int characters;
    /** The length of the current text; its first byte was seen if {@link #lengthShift} is not negative. */
    private int length;

    private int lengthShift = -1;

    /** The fields that were added, and their size as HPACK counts: at least the last 4 KiB of them. */
    private int fields;

    private int size;

    /** Begins a HEADERS frame with a payload of {@code length} bytes. */
    public void headers(int flags, int length) {
        left = length;
        padding = 0;
        paddingUnknown = (flags & PADDED) != 0;
        priority = (flags & PRIORITY) != 0 ? PRIORITY_BYTES : 0;
        next = Next.FIELD;
        lengthShift = -1;
    }

    /** Begins a CONTINUATION frame with a payload of {@code length} bytes. */
    public void continuation(int length) {
        left = length;
        padding = 0;
    }

    /** Takes the next byte of the payload. */
    public void take(byte b) {
        left--;
        if (paddingUnknown) {
            paddingUnknown = false;
            padding = b & 0xFF;
        } else if (priority > 0) {
            priority--;
        } else if (left >= padding) {
            block(b);
        }
    }

    private void block(byte b) {
        switch (next) {
            case FIELD -> field(b);
            case NUMBER -> next = b < 0 ? Next.NUMBER : Next.FIELD;
            case INDEX -> next = b < 0 ? Next.INDEX : Next.VALUE_LENGTH;
            case NAME_LENGTH, VALUE_LENGTH -> length(b);
            case NAME, VALUE -> {
                length--;
                if (length == 0) {
                    textEnds();
                }
            }
        }
    }

    private void field(byte b) {
        characters = 0;
        adds = false;
        if (b < 0) {
            next = (b & 0x7F) == 0x7F ? Next.NUMBER : Next.FIELD;
        } else if ((b & 0x40) != 0) {
            adds = true;
            named(b & 0x3F, 0x3F);
        } else if ((b & 0x20) != 0) {
            next = (b & 0x1F) == 0x1F ? Next.NUMBER : Next.FIELD;
        } else {
            named(b & 0x0F, 0x0F);
        }
    }

    private void named(int index, int most) {
        next = index == 0 ? Next.NAME_LENGTH : index == most ? Next.INDEX : Next.VALUE_LENGTH;
    }

    private void length(byte b) {
        boolean more;
        if (lengthShift < 0) {
            length = b & 0x7F;
            more = length == 0x7F;
            lengthShift = 0;
        } else {
            length += (b & 0x7F) << Math.min(lengthShift, MOST_SHIFT);
            lengthShift += 7;
            more = b < 0;
        }
        if (!more) {
            lengthShift = -1;
            next = next == Next.NAME_LENGTH ? Next.NAME : Next.VALUE;
            length = Math.max(0, length);
            characters = Math.min(TABLE, characters + Math.min(TABLE, length));
            if (length == 0) {
                textEnds();
            }
        }
    }

    private void textEnds() {
        if (next == Next.NAME) {
            next = Next.VALUE_LENGTH;
            return;
        }
        next = Next.FIELD;
        if (adds && COUNTED + characters <= TABLE) {
            fields++;
            size += COUNTED + characters;
            if (size > 2 * TABLE) {
                fields = (fields + 1) / 2;
                size /= 2;
            }
        }
    }

    /** The estimated memory of the table, in bytes. */
    public int bytes() {
        if (size <= TABLE) {
            return size + fields * OBJECTS;
        }
        return TABLE + (int) ((long) fields * TABLE / size) * OBJECTS;
    }
}
