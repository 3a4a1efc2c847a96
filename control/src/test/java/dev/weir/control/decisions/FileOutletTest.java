package dev.weir.control.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileOutletTest {
    @TempDir
    Path folder;

    private long now = Instant.parse("2026-11-16T05:30:00Z").toEpochMilli();

    private FileOutlet outlet(long size, Duration age, int kept) {
        return new FileOutlet(new DecisionSinkSettings.File(path(), size, age, kept), () -> now);
    }

    private Path path() {
        return folder.resolve("log/decisions.jsonl");
    }

    private DecisionLine line(int number) {
        String json = "{\"time\":\"" + Instant.ofEpochMilli(now) + "\",\"n\":" + number + "}";
        return new DecisionLine(json.getBytes(StandardCharsets.UTF_8), null);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("log"))) {
            return all.sorted().toList();
        }
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path each : files()) {
            lines.addAll(Files.readAllLines(each));
        }
        return lines;
    }

    @Test
    void aFileThatIsFullMakesWayAndOnlySoManyAreKept() throws Exception {
        FileOutlet outlet = outlet(200, Duration.ofDays(1), 3);
        for (int i = 0; i < 100; i++) {
            outlet.write(line(i));
            if (i % 7 == 0) {
                outlet.pause();
                now += 1;
            }
        }
        outlet.close();

        assertThat(files()).hasSize(4);
        assertThat(files()).allSatisfy(each -> assertThat(Files.size(each)).isBetween(1L, 200L));
        assertThat(lines()).allMatch(each -> each.startsWith("{") && each.endsWith("}"));
        assertThat(lines().get(lines().size() - 1)).contains("\"n\":99}");
        assertThat(outlet.written()).isEqualTo(100);
        assertThat(outlet.dropped()).isZero();
    }

    @Test
    void twoThatFillUpInOneMillisecondBothStay() throws Exception {
        FileOutlet outlet = outlet(50, Duration.ofDays(1), 10);
        for (int i = 0; i < 5; i++) {
            outlet.write(line(i));
            outlet.pause();
        }
        outlet.close();

        assertThat(files()).hasSize(5);
        assertThat(lines()).hasSize(5);
    }

    @Test
    void anOldFileMakesWayAlsoWhenNothingComes() throws Exception {
        FileOutlet outlet = outlet(1 << 20, Duration.ofHours(1), 3);
        outlet.write(line(1));
        outlet.pause();
        now += Duration.ofMinutes(59).toMillis();
        outlet.pause();
        assertThat(files()).hasSize(1);
        now += Duration.ofMinutes(1).toMillis();
        outlet.pause();

        assertThat(files())
                .extracting(each -> String.valueOf(each.getFileName()))
                .containsExactly("decisions-20261116T063000.000Z.jsonl", "decisions.jsonl");
        assertThat(path()).isEmptyFile();
        outlet.close();
    }

    @Test
    void aRestartGoesOnWithTheFileAndItsAge() throws Exception {
        FileOutlet first = outlet(1 << 20, Duration.ofHours(1), 3);
        first.write(line(1));
        first.close();
        now += Duration.ofMinutes(40).toMillis();
        FileOutlet second = outlet(1 << 20, Duration.ofHours(1), 3);
        second.write(line(2));
        second.pause();
        assertThat(Files.readAllLines(path())).hasSize(2);
        now += Duration.ofMinutes(20).toMillis();
        second.write(line(3));
        second.close();

        assertThat(files()).hasSize(2);
        assertThat(Files.readAllLines(path())).hasSize(1);
    }

    @Test
    void halfALineOfACrashDoesNotSpoilTheNext() throws Exception {
        Files.createDirectories(folder.resolve("log"));
        Files.writeString(path(), "{\"time\":\"2026-11-16T05:29:00Z\",\"n\":0}\n{\"time\":\"20");
        FileOutlet outlet = outlet(1 << 20, Duration.ofHours(1), 3);
        outlet.write(line(1));
        outlet.close();

        assertThat(Files.readAllLines(path())).hasSize(3).last().asString().endsWith("\"n\":1}");
    }

    @Test
    void aFileThatSomebodyMovedAwayIsBegunAnew() throws Exception {
        FileOutlet outlet = outlet(1 << 20, Duration.ofHours(1), 3);
        outlet.write(line(1));
        outlet.pause();
        Files.move(path(), folder.resolve("log/taken.jsonl"));
        now += 1_000;
        outlet.pause();
        outlet.write(line(2));
        outlet.close();

        assertThat(Files.readAllLines(path())).singleElement().asString().endsWith("\"n\":2}");
    }

    @Test
    void linesDroppedWithoutADiskAreCountedAndWritingIsRetried() throws Exception {
        Files.writeString(folder.resolve("log"), "in the way");
        FileOutlet outlet = outlet(1 << 20, Duration.ofHours(1), 3);
        outlet.write(line(1));
        outlet.write(line(2));
        outlet.pause();
        assertThat(outlet.dropped()).isEqualTo(2);

        Files.delete(folder.resolve("log"));
        now += 1_000;
        outlet.write(line(3));
        outlet.close();
        assertThat(Files.readAllLines(path())).hasSize(1);
        assertThat(outlet.written()).isEqualTo(1);
        assertThat(outlet.dropped()).isEqualTo(2);
    }

    @Test
    void othersOnTheMachineCannotReadIt() throws Exception {
        FileOutlet outlet = outlet(1 << 20, Duration.ofHours(1), 3);
        outlet.write(line(1));
        outlet.close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .endsWith("---");
    }

    @Test
    void filesOfOthersInTheFolderAreLeftAlone() throws Exception {
        Files.createDirectories(folder.resolve("log"));
        Files.writeString(folder.resolve("log/decisions-2025.jsonl"), "mine");
        FileOutlet outlet = outlet(50, Duration.ofDays(1), 1);
        for (int i = 0; i < 5; i++) {
            outlet.write(line(i));
            outlet.pause();
        }
        outlet.close();

        assertThat(folder.resolve("log/decisions-2025.jsonl")).hasContent("mine");
        assertThat(files()).hasSize(3);
    }
}
