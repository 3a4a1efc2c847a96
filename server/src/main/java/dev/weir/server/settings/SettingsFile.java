package dev.weir.server.settings;

import dev.weir.rules.diagnostics.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads {@code weir.yaml}: one level of names and values, each with its place for the message about it. */
final class SettingsFile {
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
        if (Catalogue.all().stream().noneMatch(each -> each.name().equals(name))) {
            problems.add(at(key.getStartMark()) + name + ": no such setting (" + Suggestion.among(name, names()) + ")");
        } else if (!(value instanceof ScalarNode scalar)) {
            problems.add(at(value.getStartMark()) + name + ": expected one value");
        } else if (given.put(name, new Given(resolved(name, scalar.getValue()), at(value.getStartMark()) + name))
                != null) {
            problems.add(at(key.getStartMark()) + name + ": set twice");
        }
    }

    /** A path in the file is meant from the file's folder, wherever the server was started. */
    private String resolved(String name, String value) {
        boolean isPath = Catalogue.all().stream()
                .anyMatch(each -> each.isPath() && each.name().equals(name));
        return isPath && !value.isEmpty()
                ? file.toAbsolutePath().resolveSibling(value).toString()
                : value;
    }

    private static List<String> names() {
        return Catalogue.all().stream().map(Setting::name).toList();
    }

    private String at(Optional<Mark> mark) {
        return mark.map(m -> file + ":" + (m.getLine() + 1) + ":" + (m.getColumn() + 1) + ": ")
                .orElse(file + ": ");
    }
}
