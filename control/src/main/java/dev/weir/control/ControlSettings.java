package dev.weir.control;

import dev.weir.control.database.PostgresUrl;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The places where the control plane stores what operators change.
 *
 * @param data a folder for this server alone; null: nothing is written to disk
 * @param database a PostgreSQL database that servers share; null: an embedded database in the folder
 */
public record ControlSettings(@Nullable Path data, @Nullable PostgresUrl database) {

    /** Returns whether anything is stored at all. */
    public boolean isKept() {
        return data != null || database != null;
    }
}
