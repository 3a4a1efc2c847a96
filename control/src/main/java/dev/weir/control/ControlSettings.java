package dev.weir.control;

import dev.weir.control.database.PostgresUrl;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the control plane keeps what operators change.
 *
 * @param data a folder for this server alone; null: nothing is written to disk
 * @param database a PostgreSQL that servers share; null: an embedded database in the folder
 */
public record ControlSettings(@Nullable Path data, @Nullable PostgresUrl database) {

    /** Whether there is anywhere to keep anything. */
    public boolean isKept() {
        return data != null || database != null;
    }
}
