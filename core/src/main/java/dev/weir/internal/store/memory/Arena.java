package dev.weir.internal.store.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bounded memory for counters that do not fit a slot: blocks of words, cut from pages of one block size each.
 *
 * <p>A page whose blocks are all free is released, so that other sizes can use its memory. The holder of a block
 * accesses it without the lock; the lock guards only which blocks are held.
 *
 * <h2>Room to grow</h2>
 *
 * <p>Small blocks may not use all memory: a quarter is reserved for blocks of more than 8 words, half of that for
 * blocks of more than 16, and so on. So a flood of callers who are seen once cannot take the memory from known callers
 * who need a larger block.
 */
final class Arena extends VersionLock {
    static final long NONE = 0;

    private static final int PAGE_WORDS = 4096;
    private static final int FEWEST_BLOCKS = 4;

    private final long maxWords;
    private long words;
    /** The words in blocks of each power of two. */
    private final long[] wordsByOctave = new long[BlockSizes.OCTAVES];
    /** Indexed by page number. Page 0 does not exist, so that no block equals {@link #NONE}. */
    private volatile @Nullable ArenaPage[] pages = new ArenaPage[8];

    private int lastPage;
    private final @Nullable ArenaPage[] withRoom = new ArenaPage[BlockSizes.COUNT];

    Arena(long maxWords) {
        this.maxWords = maxWords;
    }

    /** Allocates a block of {@link BlockSizes#fit} words, all zero; {@link #NONE} if the arena is full. */
    long allocate(int words) {
        int size = BlockSizes.fit(words);
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
            ArenaPage page = page(block);
            boolean wasFull = page.isFull();
            page.free(offset(block));
            if (wasFull) {
                link(page);
            }
            if (page.isIdle() && (page.next != null || withRoom[BlockSizes.rank(size)] != page)) {
                drop(page);
            }
        } finally {
            unlock();
        }
    }

    /** The number of words of a block. */
    int size(long block) {
        return page(block).size;
    }

    long[] memory(long block) {
        return page(block).memory;
    }

    static int offset(long block) {
        return (int) block;
    }

    /** The number of words in all pages. */
    long words() {
        lock();
        try {
            return words;
        } finally {
            unlock();
        }
    }

    private ArenaPage page(long block) {
        ArenaPage page = pages[(int) (block >>> 32)];
        if (page == null) {
            throw new IllegalStateException("block: " + block + " (expected: one that was not freed)");
        }
        return page;
    }

    private long claim(int size) {
        lock();
        try {
            ArenaPage page = withRoom[BlockSizes.rank(size)];
            if (page == null) {
                page = addPage(size);
                if (page == null) {
                    return NONE;
                }
            }
            int offset = page.claim();
            if (page.isFull()) {
                unlink(page);
            }
            return (long) page.number << 32 | offset;
        } finally {
            unlock();
        }
    }

    private @Nullable ArenaPage addPage(int size) {
        int blocks = Math.max(FEWEST_BLOCKS, PAGE_WORDS / size);
        long length = (long) blocks * size;
        int octave = BlockSizes.octave(size);
        if (!hasRoomFor(length, octave)) {
            dropIdlePages();
        }
        if (!hasRoomFor(length, octave) || length > Integer.MAX_VALUE - 8) {
            return null;
        }
        ArenaPage page = new ArenaPage(freeNumber(), blocks, size);
        pages[page.number] = page;
        words += length;
        wordsByOctave[octave] += length;
        link(page);
        return page;
    }

    private boolean hasRoomFor(long length, int octave) {
        long upToIts = length;
        for (int i = 0; i <= octave; i++) {
            upToIts += wordsByOctave[i];
        }
        return words + length <= maxWords && upToIts <= maxWords - (maxWords >> (octave + 2));
    }

    private int freeNumber() {
        @Nullable ArenaPage[] pages = this.pages;
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
        for (ArenaPage page : withRoom) {
            if (page != null && page.isIdle()) {
                drop(page);
            }
        }
    }

    private void drop(ArenaPage page) {
        unlink(page);
        pages[page.number] = null;
        words -= page.memory.length;
        wordsByOctave[BlockSizes.octave(page.size)] -= page.memory.length;
    }

    private void link(ArenaPage page) {
        ArenaPage head = withRoom[page.rank];
        page.next = head;
        if (head != null) {
            head.previous = page;
        }
        withRoom[page.rank] = page;
    }

    private void unlink(ArenaPage page) {
        if (page.previous != null) {
            page.previous.next = page.next;
        } else {
            withRoom[page.rank] = page.next;
        }
        if (page.next != null) {
            page.next.previous = page.previous;
        }
        page.next = null;
        page.previous = null;
    }
}
