package dev.weir.server.settings;

import dev.weir.rules.diagnostics.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads {@code weir.yaml}: names and values, each with its place for the message about it; only {@code stores} goes deeper. */
final class SettingsFile {
    private static final Pattern STORE_NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");

    private final Path file;
    private final List<String> problems;
    private final Map<String, Given> given = new LinkedHashMap<>();

    private SettingsFile(Path file, List<String> problems) {
        this.file = file;
        this.problems = problems;
    }

    static Map<String, Given> read(Path file, List<String> problems) {
        SettingsFile reading = new SettingsFile(file, problems);
        try {
            reading.read(Files.readString(file));
        } catch (IOException e) {
            problems.add(file + ": cannot be read (" + e.getMessage() + ")");
        } catch (MarkedYamlEngineException e) {
            problems.add(reading.at(e.getProblemMark()) + e.getProblem());
        } catch (YamlEngineException e) {
            problems.add(file + ": " + e.getMessage());
        } catch (NumberFormatException e) { // the parser's own, at an escape without its digits
            problems.add(file + ": an escape without its digits");
        }
        return reading.given;
    }

    private void read(String text) {
        LoadSettings settings = LoadSettings.builder().setLabel(file.toString()).build();
        Optional<Node> root = new Compose(settings).composeString(text);
        if (root.isEmpty()) {
            return;
        }
        if (!(root.get() instanceof MappingNode mapping)) {
            problems.add(at(root.get().getStartMark()) + "expected settings such as http_port: 8080");
            return;
        }
        for (NodeTuple each : mapping.getValue()) {
            add(each.getKeyNode(), each.getValueNode());
        }
    }

    private void add(Node key, Node value) {
        String name = key instanceof ScalarNode scalar ? scalar.getValue() : "?";
        if (name.equals("stores")) {
            stores(value);
        } else if (Catalogue.all().stream().noneMatch(each -> each.name().equals(name))) {
            problems.add(at(key.getStartMark()) + name + ": no such setting (" + Suggestion.among(name, names()) + ")");
        } else if (!(value instanceof ScalarNode scalar)) {
            problems.add(at(value.getStartMark()) + name + ": expected one value");
        } else {
            put(name, resolved(name, scalar.getValue()), name, scalar);
        }
    }

    private void put(String key, String text, String shown, Node at) {
        if (given.put(key, new Given(text, at(at.getStartMark()) + shown)) != null) {
            problems.add(at(at.getStartMark()) + shown + ": set twice");
        }
    }

    /** {@code stores: { big: redis://…, other: { url: …, password_file: … } }}. */
    private void stores(Node node) {
        if (!(node instanceof MappingNode stores)) {
            problems.add(at(node.getStartMark())
                    + "stores: expected names and where they are, such as big: redis://host:port");
            return;
        }
        for (NodeTuple each : stores.getValue()) {
            String name = each.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
            if (!STORE_NAME.matcher(name).matches()) {
                problems.add(at(each.getKeyNode().getStartMark()) + "stores: \"" + name
                        + "\" (expected: up to 40 letters, digits, - and _)");
            } else if (each.getValueNode() instanceof ScalarNode url) {
                put(StoreEntries.URL.key(name), url.getValue(), "stores." + name, url);
            } else if (each.getValueNode() instanceof MappingNode entries) {
                entries.getValue().forEach(entry -> storeEntry(name, entry));
            } else {
                problems.add(at(each.getValueNode().getStartMark()) + "stores." + name
                        + ": expected an address, or url, user, password and password_file");
            }
        }
    }

    private void storeEntry(String store, NodeTuple entry) {
        String spelling = entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
        String shown = "stores." + store + "." + spelling;
        if (!StoreEntries.spellings().contains(spelling)) {
            String hint = Suggestion.among(spelling, StoreEntries.spellings());
            problems.add(at(entry.getKeyNode().getStartMark()) + shown + ": no such setting (" + hint + ")");
        } else if (!(entry.getValueNode() instanceof ScalarNode scalar)) {
            problems.add(at(entry.getValueNode().getStartMark()) + shown + ": expected one value");
        } else {
            StoreEntries kind = StoreEntries.valueOf(spelling.toUpperCase(Locale.ROOT));
            String text = scalar.getValue();
            put(kind.key(store), kind.isPath() ? fromHere(text) : text, shown, scalar);
        }
    }

    /** A path in the file is meant from the file's folder, wherever the server was started. */
    private String resolved(String name, String value) {
        if (name.equals(Catalogue.RULES.name())) {
            return RuleOrigins.resolved(value, this::fromHere);
        }
        boolean isPath = Catalogue.all().stream()
                .anyMatch(each -> each.isPath() && each.name().equals(name));
        return isPath && !value.isEmpty() ? fromHere(value) : value;
    }

    private String fromHere(String path) {
        return file.toAbsolutePath().resolveSibling(path).toString();
    }

    private static List<String> names() {
        return Catalogue.all().stream().map(Setting::name).toList();
    }

    private String at(Optional<Mark> mark) {
        return mark.map(m -> file + ":" + (m.getLine() + 1) + ":" + (m.getColumn() + 1) + ": ")
                .orElse(file + ": ");
    }
}
