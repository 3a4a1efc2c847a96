package dev.weir.internal.store.memory;

import org.jspecify.annotations.Nullable;

/** Memory of an {@link Arena}, cut into blocks of one size. A block is identified by its offset. */
final class ArenaPage {
    final long[] memory;
    final int number;
    final int rank;
    final int size;
    private final int blocks;
    private int used;
    /** Head of the list of freed blocks; each holds the offset of the next, -1 at the end. */
    private int free = -1;
    /** Offset of the first block that was never used. */
    private int fresh;

    /** The neighbours in the arena's list of pages with free blocks. */
    @Nullable
    ArenaPage next;

    @Nullable
    ArenaPage previous;

    ArenaPage(int number, int blocks, int size) {
        this.number = number;
        this.blocks = blocks;
        this.size = size;
        this.rank = BlockSizes.rank(size);
        this.memory = new long[blocks * size];
    }

    boolean isFull() {
        return used == blocks;
    }

    boolean isIdle() {
        return used == 0;
    }

    /** Claims a block; the page must not be full. */
    int claim() {
        used++;
        int block = free;
        if (block >= 0) {
            free = (int) memory[block];
        } else {
            block = fresh;
            fresh += size;
        }
        return block;
    }

    void free(int block) {
        used--;
        memory[block] = free;
        free = block;
    }
}
