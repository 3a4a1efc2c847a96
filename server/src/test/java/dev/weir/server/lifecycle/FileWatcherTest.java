package dev.weir.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWatcherTest {
    @TempDir
    Path folder;

    @Test
    void whatChangesBetweenTheReadingOfFilesAndTheWatchingIsToldOnce() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "old");
        AtomicInteger changes = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        try (FileWatcher watch = new FileWatcher()) {
            FileWatcher.Seen seen = FileWatcher.seen(List.of(file));
            watch.add(seen, changes::incrementAndGet);
            Path other = folder.resolve("other");
            watch.add(FileWatcher.seen(List.of(other)), looks::incrementAndGet);
            Files.writeString(file, "new");
            watch.start();
            await().until(() -> changes.get() > 0);
            Files.writeString(other, "there now");
            await().until(() -> looks.get() > 0);
            assertThat(changes).hasValue(1);
        }
    }
}
