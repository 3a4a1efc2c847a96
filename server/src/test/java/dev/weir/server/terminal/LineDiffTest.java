package dev.weir.server.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineDiffTest {
    @Test
    void equalTextsHaveNoChangedLines() {
        assertThat(LineDiff.of(List.of("a", "b"), List.of("a", "b"))).isEmpty();
    }

    @Test
    void aLineThatIsRepeatedElsewhereShows() {
        assertThat(LineDiff.of(List.of("burst 5", "limit 7"), List.of("burst 5", "limit 5", "burst 5")))
                .containsExactly("- limit 7", "+ limit 5", "+ burst 5");
    }

    @Test
    void aMovedLineShowsWhereItWasAndWhereItIs() {
        assertThat(LineDiff.of(List.of("a", "b", "c"), List.of("b", "c", "a"))).containsExactly("- a", "+ a");
    }

    @Test
    void anEmptyTextIsAddedOrRemovedWhole() {
        assertThat(LineDiff.of(List.of(), List.of("a", "a"))).containsExactly("+ a", "+ a");
        assertThat(LineDiff.of(List.of("a", "a"), List.of())).containsExactly("- a", "- a");
    }
}
