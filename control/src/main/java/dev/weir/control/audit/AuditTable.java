package dev.weir.control.audit;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The audit log in the database. Lines are added, never changed. */
public final class AuditTable {
    private AuditTable() {}

    /** An audit line with the kind and the name of its record. */
    public record Entry(String kind, String subject, AuditLine line) {

        /** Returns the entry of a line; both names are in its text. */
        public static Entry of(AuditLine line) throws IOException {
            return new Entry(member(line, "kind"), member(line, "subject"), line);
        }

        private static String member(AuditLine line, String name) throws IOException {
            byte[] text = line.text().getBytes(StandardCharsets.UTF_8);
            YamlNode.Entry entry = YamlReader.read(text, new DiagnosticCollector("audit")) instanceof Mapping object
                    ? object.entry(name)
                    : null;
            if (entry != null && entry.value() instanceof Scalar scalar) {
                return scalar.text();
            }
            throw new IOException("change " + line.version() + " of the audit has no " + name);
        }
    }

    public static void insert(Connection connection, Entry entry) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO weir_audit (version, kind, subject, line, hash) VALUES (?, ?, ?, ?, ?)")) {
            insert.setLong(1, entry.line().version());
            insert.setString(2, entry.kind());
            insert.setString(3, entry.subject());
            insert.setString(4, entry.line().text());
            insert.setString(5, entry.line().hash());
            insert.executeUpdate();
        }
    }

    /** Returns the hash of line {@code version}, which the next line refers to. */
    public static String hash(Connection connection, long version) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT hash FROM weir_audit WHERE version = ?")) {
            select.setLong(1, version);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : AuditLine.START;
            }
        }
    }

    /** Returns the first {@code most} lines after {@code version}, in order. */
    public static List<Entry> after(Connection connection, long version, int most) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT version, kind, subject, line, hash FROM weir_audit WHERE version > ? ORDER BY version LIMIT ?")) {
            select.setLong(1, version);
            select.setInt(2, most);
            try (ResultSet rows = select.executeQuery()) {
                List<Entry> entries = new ArrayList<>();
                while (rows.next()) {
                    AuditLine line = new AuditLine(rows.getLong(1), rows.getString(4), rows.getString(5));
                    entries.add(new Entry(rows.getString(2), rows.getString(3), line));
                }
                return entries;
            }
        }
    }
}
