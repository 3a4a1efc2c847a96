package dev.weir.store.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bounded memory for counters that do not fit a slot: blocks of words, cut from pages of one size each.
 *
 * <p>Sizes go up in steps of an eighth to a quarter, so at most a fifth of a block is idle. A page whose blocks are all free
 * goes back, so that another size can have its share. A block is its holder's alone; the lock guards only who holds which.
 */
final class Arena extends SpinLock {
    static final long NONE = 0;

    private static final int SMALLEST = 8;
    private static final int SIZES = 112;
    private static final int PAGE_WORDS = 4096;
    private static final int FEWEST_BLOCKS = 4;

    private final long maxWords;
    private long words;
    /** By the number that a block carries; none has number 0, so that no block is {@link #NONE}. */
    private volatile @Nullable Page[] pages = new Page[8];

    private int lastPage;
    private final @Nullable Page[] withRoom = new Page[SIZES];

    Arena(long maxWords) {
        this.maxWords = maxWords;
    }

    /** How many words a block for {@code words} words has. */
    static int fit(int words) {
        if (words <= SMALLEST) {
            return SMALLEST;
        }
        int step = step(words);
        return (words + step - 1) & -step;
    }

    /** A block of {@link #fit} words, all zero; {@link #NONE} if the arena is full. */
    long allocate(int words) {
        int size = fit(words);
        long block = claim(size);
        if (block != NONE) {
            int from = offset(block);
            Arrays.fill(memory(block), from, from + size, 0);
        }
        return block;
    }

    void free(long block, int size) {
        if (block == NONE) {
            return;
        }
        lock();
        try {
            Page page = page(block);
            page.memory[offset(block)] = page.free;
            page.free = offset(block);
            if (page.used-- == page.blocks) {
                link(page);
            }
            if (page.used == 0 && (page.next != null || withRoom[sizeClass(size)] != page)) {
                drop(page);
            }
        } finally {
            unlock();
        }
    }

    long[] memory(long block) {
        return page(block).memory;
    }

    static int offset(long block) {
        return (int) block;
    }

    /** Words of all pages. */
    long words() {
        lock();
        try {
            return words;
        } finally {
            unlock();
        }
    }

    private Page page(long block) {
        Page page = pages[(int) (block >>> 32)];
        if (page == null) {
            throw new IllegalStateException("block: " + block + " (expected: one that was not freed)");
        }
        return page;
    }

    private long claim(int size) {
        lock();
        try {
            Page page = withRoom[sizeClass(size)];
            if (page == null) {
                page = addPage(size);
                if (page == null) {
                    return NONE;
                }
            }
            int offset = page.free;
            if (offset >= 0) {
                page.free = (int) page.memory[offset];
            } else {
                offset = page.fresh;
                page.fresh += size;
            }
            if (++page.used == page.blocks) {
                unlink(page);
            }
            return (long) page.number << 32 | offset;
        } finally {
            unlock();
        }
    }

    private @Nullable Page addPage(int size) {
        int blocks = Math.max(FEWEST_BLOCKS, PAGE_WORDS / size);
        long length = (long) blocks * size;
        if (words + length > maxWords) {
            dropIdlePages();
        }
        if (words + length > maxWords || length > Integer.MAX_VALUE - 8) {
            return null;
        }
        Page page = new Page(new long[(int) length], blocks, sizeClass(size), freeNumber());
        pages[page.number] = page;
        words += length;
        link(page);
        return page;
    }

    private int freeNumber() {
        @Nullable Page[] pages = this.pages;
        for (int tries = 1; tries < pages.length; tries++) {
            lastPage = lastPage + 1 < pages.length ? lastPage + 1 : 1;
            if (pages[lastPage] == null) {
                return lastPage;
            }
        }
        lastPage = pages.length;
        this.pages = Arrays.copyOf(pages, pages.length * 2);
        return lastPage;
    }

    private void dropIdlePages() {
        for (Page page : withRoom) {
            if (page != null && page.used == 0) {
                drop(page);
            }
        }
    }

    private void drop(Page page) {
        unlink(page);
        pages[page.number] = null;
        words -= page.memory.length;
    }

    private void link(Page page) {
        Page head = withRoom[page.sizeClass];
        page.next = head;
        if (head != null) {
            head.previous = page;
        }
        withRoom[page.sizeClass] = page;
    }

    private void unlink(Page page) {
        if (page.previous != null) {
            page.previous.next = page.next;
        } else {
            withRoom[page.sizeClass] = page.next;
        }
        if (page.next != null) {
            page.next.previous = page.previous;
        }
        page.next = null;
        page.previous = null;
    }

    /** A quarter of the power of two below. */
    private static int step(int words) {
        return Integer.highestOneBit(words - 1) >>> 2;
    }

    private static int sizeClass(int size) {
        if (size <= SMALLEST) {
            return 0;
        }
        int power = 31 - Integer.numberOfLeadingZeros(size - 1);
        return (power - 3) * 4 + (size - (1 << power)) / step(size);
    }

    /** Memory cut into blocks of one size. */
    private static final class Page {
        final long[] memory;
        final int blocks;
        final int sizeClass;
        final int number;
        int used;
        /** Head of the list of freed blocks, each holding where the next is; -1 at its end. */
        int free = -1;
        /** Where the blocks begin that were never used. */
        int fresh;

        @Nullable
        Page next;

        @Nullable
        Page previous;

        Page(long[] memory, int blocks, int sizeClass, int number) {
            this.memory = memory;
            this.blocks = blocks;
            this.sizeClass = sizeClass;
            this.number = number;
        }
    }
}
