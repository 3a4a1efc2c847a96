package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ArenaTest {
    private record Block(long at, int words, long mark) {}

    @Property(tries = 60)
    void blocksAreZeroApartFromEachOtherAndKeepTheirWords(@ForAll Random random) {
        Arena arena = new Arena(200_000);
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            if (random.nextInt(3) > 0) {
                int words = 1 + (int) Math.pow(2, random.nextDouble() * 12);
                long at = arena.allocate(words);
                if (at != Arena.NONE) {
                    Block block = new Block(at, BlockSizes.fit(words), random.nextLong());
                    assertThat(holdsOnly(arena, block, 0)).isTrue();
                    Arrays.fill(arena.memory(at), Arena.offset(at), Arena.offset(at) + block.words, block.mark);
                    blocks.add(block);
                }
            } else if (!blocks.isEmpty()) {
                Block block = blocks.remove(random.nextInt(blocks.size()));
                assertThat(holdsOnly(arena, block, block.mark)).isTrue();
                arena.free(block.at, block.words);
            }
            assertThat(arena.words()).isLessThanOrEqualTo(200_000);
        }
        for (Block block : blocks) {
            assertThat(holdsOnly(arena, block, block.mark)).isTrue();
        }
    }

    @Property
    void aBlockIsAtMostAQuarterLargerThanRequested(@ForAll @IntRange(min = 8, max = 1 << 20) int words) {
        assertThat(BlockSizes.fit(words)).isBetween(words, words + words / 4);
        assertThat(BlockSizes.fit(BlockSizes.fit(words))).isEqualTo(BlockSizes.fit(words));
    }

    @Example
    void whatOneSizeGaveBackAnotherCanHave() {
        Arena arena = new Arena(100_000);
        List<Block> blocks = fill(arena, 20);
        blocks.addAll(fill(arena, 1000));
        assertThat(arena.allocate(1000)).isEqualTo(Arena.NONE);
        blocks.forEach(block -> arena.free(block.at, block.words));
        assertThat(fill(arena, 1000)).hasSizeGreaterThan(90);
    }

    @Example
    void smallBlocksLeaveRoomForLargerOnes() {
        Arena arena = new Arena(100_000);
        assertThat(fill(arena, 8)).hasSizeBetween(8_000, 9_375); // three quarters
        assertThat(fill(arena, 16)).hasSizeGreaterThan(500); // half of the rest
        assertThat(fill(arena, 32)).isNotEmpty();
    }

    @Example
    void aFullArenaReusesWhatIsFreed() {
        Arena arena = new Arena(10_000);
        List<Block> blocks = fill(arena, 20);
        for (int i = 0; i < 10_000; i++) {
            Block block = blocks.get(i % blocks.size());
            arena.free(block.at, block.words);
            assertThat(arena.allocate(20)).isEqualTo(block.at);
            assertThat(arena.allocate(20)).isEqualTo(Arena.NONE);
        }
    }

    private static List<Block> fill(Arena arena, int words) {
        List<Block> blocks = new ArrayList<>();
        for (long at; (at = arena.allocate(words)) != Arena.NONE; ) {
            blocks.add(new Block(at, BlockSizes.fit(words), 0));
        }
        return blocks;
    }

    private static boolean holdsOnly(Arena arena, Block block, long word) {
        int from = Arena.offset(block.at);
        return Arrays.stream(arena.memory(block.at), from, from + block.words).allMatch(w -> w == word);
    }
}
