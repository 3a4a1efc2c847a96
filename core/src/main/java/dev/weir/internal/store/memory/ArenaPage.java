package dev.weir.internal.store.memory;

import org.jspecify.annotations.Nullable;

/** Memory of an {@link Arena} cut into blocks of one size. Blocks are known by where they begin. */
final class ArenaPage {
    final long[] memory;
    final int number;
    final int rank;
    final int size;
    private final int blocks;
    private int used;
    /** Head of the list of freed blocks, each holding where the next is; -1 at its end. */
    private int free = -1;
    /** Where the blocks begin that were never used. */
    private int fresh;

    /** The neighbours in the arena's list of pages with room. */
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

    /** A block of a page that is not full. */
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
