package dev.weir.control.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseCopyWriterTest {
    @Test
    void aWriteThatFailedIsTriedAgain(@TempDir Path folder) {
        AtomicInteger attempts = new AtomicInteger();
        DatabaseCopyWriter writer = new DatabaseCopyWriter(
                DatabaseCopy.in(folder),
                copy -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw new IOException("no space left on device");
                    }
                },
                1);
        writer.requestWrite();
        Awaitility.await().until(() -> attempts.get() == 3);
        writer.finish();
        assertThat(attempts).hasValue(3);
    }
}
