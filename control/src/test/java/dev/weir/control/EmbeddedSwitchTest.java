package dev.weir.control;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedSwitchTest extends SwitchContract {
    @TempDir
    private Path folder;

    @Override
    ControlSettings settings() {
        return new ControlSettings(folder, null);
    }
}
