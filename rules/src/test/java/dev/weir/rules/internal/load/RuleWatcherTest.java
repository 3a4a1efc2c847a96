package dev.weir.rules.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleWatcherTest {
    /** The promise is a second; a build machine may be busy with eight other builds. */
    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private final List<LoadResult> heard = new CopyOnWriteArrayList<>();
    private final List<RuleWatcher> watchers = new ArrayList<>();

    @AfterEach
    void close() {
        watchers.forEach(RuleWatcher::close);
    }

    @Test
    void anEditInPlaceIsNoticed() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, heard::add);

        write("rules.yaml", 20);
        awaitLimit(20);
        write("rules.yaml", 30);
        awaitLimit(30);
    }

    @Test
    void anEditThatKeepsSizeAndTimeIsNoticed() throws IOException {
        Path file = write("rules.yaml", 10);
        FileTime time = Files.getLastModifiedTime(file);
        watch(file, heard::add);

        Files.writeString(file, rules(20));
        Files.setLastModifiedTime(file, time);
        awaitLimit(20);
    }

    @Test
    void anEditorsRenameIsNoticed() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, heard::add);

        Path draft = write("rules.yaml~", 20);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        awaitLimit(20);
    }

    @Test
    void aSwappedConfigMapIsNoticedThroughTheFolderAndThroughTheFile() throws IOException {
        write("..v1/rules.yaml", 10);
        write("..v2/rules.yaml", 20);
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..v1"));
        Path file = Files.createSymbolicLink(folder.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
        List<LoadResult> heardByFile = new CopyOnWriteArrayList<>();
        watch(folder, heard::add);
        watch(file, heardByFile::add);

        Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..v2"));
        Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

        awaitLimit(20);
        await().atMost(SOON).until(() -> !heardByFile.isEmpty());
        assertThat(requests(heardByFile.get(0))).containsExactly(20L);
    }

    @Test
    void filesThatComeAndGoInAFolderAreNoticed() throws IOException {
        write("a.yaml", 10);
        watch(folder, heard::add);

        Path b = folder.resolve("b.yaml");
        Files.writeString(b, "domain: b\n" + rules(20));
        await().atMost(SOON).until(() -> !heard.isEmpty());
        assertThat(requests(last())).containsExactly(10L, 20L);

        Files.delete(b);
        await().atMost(SOON).until(() -> requests(last()).equals(List.of(10L)));
    }

    @Test
    void aBrokenFileIsSaidOnceAndItsRepairIsHeard() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, heard::add);

        Files.writeString(file, "rules: [{ limit: { requests: x, window: 1s } }]\n");
        await().atMost(SOON).until(() -> !heard.isEmpty());
        assertThat(last().isLoaded()).isFalse();
        assertThat(last().errors()).hasSize(1);
        // Several polls go by, one of them seeing a new time stamp on the same text.
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
        await().during(Duration.ofSeconds(1)).atMost(SOON).until(() -> heard.size() == 1);

        write("rules.yaml", 20);
        awaitLimit(20);
        assertThat(heard).hasSize(2);
    }

    @Test
    void aFileThatVanishesIsAnErrorAndItsReturnIsHeard() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, heard::add);

        Files.delete(file);
        await().atMost(SOON).until(() -> !heard.isEmpty());
        assertThat(last().errors()).hasSize(1);
        write("rules.yaml", 20);
        awaitLimit(20);
    }

    @Test
    void theFirstHalfOfAFileIsNotLoadedWhileTheRestIsBeingWritten() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, heard::add);

        Files.writeString(file, "rules:\n  - { name: a, limit: { requests: 20, window: 1s } }\n");
        Files.writeString(file, "  - { name: b, limit: { requests: 30, window: 1h } }\n", StandardOpenOption.APPEND);
        await().atMost(SOON).until(() -> !heard.isEmpty());
        assertThat(requests(heard.get(0))).containsExactly(20L, 30L);
    }

    @Test
    void aListenerThatFailsHearsTheNextChange() throws IOException {
        Path file = write("rules.yaml", 10);
        watch(file, result -> {
            heard.add(result);
            if (heard.size() == 1) {
                throw new Deliberate();
            } else if (heard.size() == 2) {
                throw new StackOverflowError("deliberate");
            }
        });

        for (int i = 1; i <= 3; i++) {
            int changes = i;
            write("rules.yaml", 10 + i);
            await().dontCatchUncaughtExceptions().atMost(SOON).until(() -> heard.size() == changes);
        }
    }

    @Test
    void afterCloseNoThreadIsLeft() throws IOException {
        RuleWatcher watcher = watch(write("rules.yaml", 10), heard::add);
        assertThat(watcherThreads()).isNotEmpty();
        watcher.close();
        watcher.close();
        assertThat(watcherThreads()).isEmpty();
    }

    private RuleWatcher watch(Path source, Consumer<LoadResult> listener) {
        RuleWatcher watcher = new RuleWatcher(source, LoadOptions.DEFAULT, listener);
        watchers.add(watcher);
        assertThat(watcher.load().isLoaded()).isTrue();
        watcher.start();
        return watcher;
    }

    private void awaitLimit(long requests) {
        await().atMost(SOON).until(() -> !heard.isEmpty() && requests(last()).equals(List.of(requests)));
    }

    private LoadResult last() {
        return heard.get(heard.size() - 1);
    }

    private static List<Long> requests(LoadResult result) {
        if (result.rules() == null) {
            return List.of();
        }
        return result.rules().rules().stream()
                .map(Rule::limit)
                .map(Objects::requireNonNull)
                .map(Limit::requests)
                .toList();
    }

    private Path write(String name, long requests) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, rules(requests));
    }

    private static String rules(long requests) {
        return "rules: [{ limit: { requests: " + requests + ", window: 1s } }]\n";
    }

    private static List<String> watcherThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("weir-rules"))
                .toList();
    }

    /** Silent, so that the build's log is not frightened. */
    private static final class Deliberate extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Deliberate() {
            super("a listener that fails, on purpose", null, false, false);
        }
    }
}
