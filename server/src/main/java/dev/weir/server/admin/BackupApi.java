package dev.weir.server.admin;

import dev.weir.control.folder.DatabaseCopy;
import dev.weir.server.http.HttpAnswer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Serves a backup of the database. */
final class BackupApi {
    private static final String LINES = "application/x-ndjson";

    private final OptionalControlPlane control;

    BackupApi(OptionalControlPlane control) {
        this.control = control;
    }

    /** {@code GET /admin/v1/backup}: all records and the audit as of one moment, one JSON object per line. */
    HttpAnswer get() {
        StringWriter text = new StringWriter();
        try {
            DatabaseCopy.write(text, control.required().backup());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter throws none
        }
        return new HttpAnswer(200, LINES, text.toString().getBytes(StandardCharsets.UTF_8), List.of());
    }
}
