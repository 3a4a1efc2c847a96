package dev.weir.server.settings;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.FileErrors;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads {@code weir.yaml}: names and values, each with its position for error messages. Only {@code stores} and
 * {@code regions} are nested.
 */
final class SettingsFile {
    private static final Pattern STORE_NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");

    private final Path file;
    private final DiagnosticCollector problems;
    private final Map<String, GivenValue> given = new LinkedHashMap<>();

    private SettingsFile(Path file) {
        this.file = file;
        this.problems = new DiagnosticCollector(file.toString());
    }

    static Map<String, GivenValue> read(Path file, List<String> problems) {
        SettingsFile reading = new SettingsFile(file);
        try {
            reading.read(Files.readAllBytes(file));
        } catch (IOException e) {
            reading.problems.error(Position.FILE, "cannot be read: " + FileErrors.why(e), "");
        }
        reading.problems.all().forEach(each -> problems.add(each.toString()));
        return reading.given;
    }

    private void read(byte[] bytes) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root instanceof Mapping mapping) {
            mapping.entries().forEach(this::add);
        } else if (root != null) {
            problems.error(root.at(), "expected settings such as http_port: 8080");
        }
    }

    private void add(YamlNode.Entry entry) {
        String name = entry.key().text();
        Setting<?> setting = SettingsCatalogue.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
        if (name.equals("stores")) {
            stores(entry.value());
        } else if (name.equals("regions")) {
            regions(entry.value());
        } else if (setting == null) {
            problems.error(entry.key().at(), name + ": unknown setting", GivenValuesReader.hint(name, Setting::name));
        } else if (entry.value() instanceof Scalar value) {
            put(name, resolved(setting, value.text()), name, value);
        } else {
            String expected = setting.expected().isEmpty() ? "one value" : setting.expected();
            problems.error(entry.value().at(), name + ": " + entry.value().kind(), "expected: " + expected);
        }
    }

    private void put(String key, String text, String shown, Scalar value) {
        if (given.put(key, new GivenValue(text, problems.place(value.at()) + ": " + shown)) != null) {
            problems.error(value.at(), shown + ": set twice");
        }
    }

    /** Reads {@code stores: { big: redis://…, other: { url: …, password_file: … } }}. */
    private void stores(YamlNode node) {
        if (!(node instanceof Mapping stores)) {
            problems.error(node.at(), "stores: expected names and addresses, such as big: redis://host:port");
            return;
        }
        for (YamlNode.Entry each : stores.entries()) {
            String name = each.key().text();
            if (!STORE_NAME.matcher(name).matches()) {
                problems.error(
                        each.key().at(), "stores: \"" + name + "\"", "expected: up to 40 letters, digits, - and _");
            } else if (each.value() instanceof Scalar url) {
                put(StoreEntries.URL.key(name), url.text(), "stores." + name, url);
            } else if (each.value() instanceof Mapping entries) {
                entries.entries().forEach(entry -> storeEntry(name, "stores." + name, entry));
            } else {
                problems.error(
                        each.value().at(),
                        "stores." + name + ": expected an address, or url, user, password and password_file");
            }
        }
    }

    /** Reads {@code regions: { eu: { store: redis://…, password_file: … }, us: { … } }}. */
    private void regions(YamlNode node) {
        if (!(node instanceof Mapping regions) || regions.entries().isEmpty()) {
            problems.error(node.at(), "regions: expected names and stores, such as eu: { store: redis://host:port }");
            return;
        }
        for (YamlNode.Entry each : regions.entries()) {
            String name = each.key().text();
            String store = StoreEntries.ofRegion(name);
            String shown = "regions." + name;
            if (!StoreSettings.RegionSettings.isName(name)) {
                problems.error(
                        each.key().at(), "regions: \"" + name + "\"", "expected: up to 40 letters, digits, - and _");
            } else if (each.value() instanceof Mapping entries) {
                put(
                        StoreEntries.regionKey(name),
                        name,
                        shown,
                        new Scalar(each.key().at(), name, false));
                entries.entries().forEach(entry -> storeEntry(store, shown, entry));
            } else if (each.value() instanceof Scalar value && value.isNull()) {
                put(
                        StoreEntries.regionKey(name),
                        name,
                        shown,
                        new Scalar(each.key().at(), name, false));
            } else {
                problems.error(each.value().at(), shown + ": expected { store: redis://host:port }, or nothing");
            }
        }
    }

    private void storeEntry(String store, String place, YamlNode.Entry entry) {
        boolean ofRegion = StoreEntries.isOfRegion(store);
        String written = entry.key().text();
        String name = ofRegion && written.equals("store") ? "url" : ofRegion && written.equals("url") ? "" : written;
        String shown = place + "." + written;
        if (!StoreEntries.names().contains(name)) {
            String hint = ofRegion && written.equals("url")
                    ? Suggestion.meant("store")
                    : Suggestion.among(name, StoreEntries.names());
            problems.error(entry.key().at(), shown + ": unknown setting", hint);
        } else if (entry.value() instanceof Scalar value) {
            StoreEntries kind = StoreEntries.valueOf(name.toUpperCase(Locale.ROOT));
            put(kind.key(store), kind.isPath() ? relativeToFile(value.text()) : value.text(), shown, value);
        } else {
            problems.error(entry.value().at(), shown + ": expected one value");
        }
    }

    /** Resolves a path relative to the folder of the file, wherever the server was started. */
    private String resolved(Setting<?> setting, String value) {
        if (setting.equals(SettingsCatalogue.RULES)) {
            return RuleOrigins.resolved(value, this::relativeToFile);
        }
        return setting.isPath() && !value.isEmpty() ? relativeToFile(value) : value;
    }

    private String relativeToFile(String path) {
        return file.toAbsolutePath().resolveSibling(path).toString();
    }
}
