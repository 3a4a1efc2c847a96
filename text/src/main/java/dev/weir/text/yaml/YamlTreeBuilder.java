package dev.weir.text.yaml;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.PrintableText;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.Event.ID;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;

/** Builds the tree of a document from the parser's events, and stops at the first event past a bound. */
final class YamlTreeBuilder {
    static final int MAX_DEPTH = 512;
    static final int MAX_NODES = 1_000_000;
    static final int MAX_ALIASED = 100_000;

    private final Iterator<Event> events;
    private final DiagnosticCollector problems;
    private final Map<String, Anchored> anchors = new HashMap<>();
    private int nodes;
    private long aliased;

    YamlTreeBuilder(Iterator<Event> events, DiagnosticCollector problems) {
        this.events = events;
        this.problems = problems;
    }

    /** A value that aliases may repeat; null while it is being read, because a value cannot contain itself. */
    private record Anchored(@Nullable YamlNode node, long size) {}

    /** Returns the root of the only document; null if the file has none. */
    @Nullable
    YamlNode document() {
        YamlNode root = null;
        for (Event event = events.next(); event.getEventId() != ID.StreamEnd; event = events.next()) {
            if (event.getEventId() != ID.DocumentStart) {
                continue;
            }
            Position start = at(event);
            YamlNode next = node(events.next(), 1);
            anchors.clear();
            boolean empty = next instanceof Scalar scalar && scalar.isNull();
            if (root == null) {
                root = empty ? null : next;
            } else if (!empty) {
                throw new Refused(start, "a second document", "expected: one document per file");
            }
        }
        return root;
    }

    private YamlNode node(Event event, int depth) {
        if (depth > MAX_DEPTH) {
            throw new Refused(at(event), "nested deeper than " + MAX_DEPTH + " levels", "");
        }
        if (event instanceof AliasEvent alias) {
            return resolve(alias);
        }
        if (++nodes > MAX_NODES) {
            throw new Refused(at(event), "more than " + MAX_NODES + " values", "split it into several files");
        }
        long before = nodes + aliased;
        String anchor = ((NodeEvent) event).getAnchor().map(Object::toString).orElse(null);
        if (anchor != null) {
            anchors.put(anchor, new Anchored(null, 0));
        }
        YamlNode node = switch (event.getEventId()) {
            case Scalar -> scalar((ScalarEvent) event);
            case SequenceStart -> sequence(event, depth);
            case MappingStart -> mapping(event, depth);
            default -> throw new IllegalStateException("unexpected " + event);
        };
        if (anchor != null) {
            anchors.put(anchor, new Anchored(node, nodes + aliased - before + 1));
        }
        return node;
    }

    private YamlNode resolve(AliasEvent alias) {
        String name = alias.getAlias().toString();
        Anchored anchored = anchors.get(name);
        if (anchored == null) {
            throw new Refused(at(alias), "unknown alias *" + name, YamlSyntaxErrors.QUOTES);
        }
        if (anchored.node() == null) {
            throw new Refused(at(alias), "alias *" + name + " is used inside its own value", "");
        }
        aliased += anchored.size();
        if (aliased > MAX_ALIASED) {
            throw new Refused(at(alias), "aliases repeat more than " + MAX_ALIASED + " values", "");
        }
        return anchored.node();
    }

    private static Scalar scalar(ScalarEvent event) {
        boolean text = event.getTag().filter(tag -> tag.endsWith(":str")).isPresent();
        return new Scalar(at(event), event.getValue(), event.isPlain() && !text);
    }

    private Sequence sequence(Event start, int depth) {
        List<YamlNode> items = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != ID.SequenceEnd; event = events.next()) {
            items.add(node(event, depth + 1));
        }
        return new Sequence(at(start), items);
    }

    private Mapping mapping(Event start, int depth) {
        Map<String, Entry> entries = new LinkedHashMap<>();
        List<YamlNode> merged = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != ID.MappingEnd; event = events.next()) {
            YamlNode name = node(event, depth + 1);
            YamlNode value = node(events.next(), depth + 1);
            if (!(name instanceof Scalar key)) {
                problems.error(name.at(), name.kind() + " as a key", "expected: a name");
            } else if (key.plain() && key.text().equals("<<")) {
                warnOfLateMerge(key.at(), value, entries);
                merged.add(value);
            } else {
                Entry first = entries.putIfAbsent(key.text(), new Entry(key, value));
                if (first != null) {
                    String where = "first at " + first.key().at();
                    problems.error(key.at(), "duplicate key " + PrintableText.quote(key.text()), where);
                }
            }
        }
        merged.forEach(each -> merge(each, entries));
        return new Mapping(at(start), List.copyOf(entries.values()));
    }

    /**
     * Warns of a {@code <<} that comes after a key it also has. By YAML 1.1, and here, the explicit key wins; some
     * parsers let the later {@code <<} win.
     */
    private void warnOfLateMerge(Position at, YamlNode other, Map<String, Entry> before) {
        List<YamlNode> sources = other instanceof Sequence sequence ? sequence.items() : List.of(other);
        for (YamlNode source : sources) {
            if (source instanceof Mapping mapping) {
                for (Entry each : mapping.entries()) {
                    if (before.containsKey(each.key().text())) {
                        String message =
                                "<< has " + PrintableText.quote(each.key().text()) + ", which is set before it";
                        problems.warning(
                                at,
                                message,
                                "the value set before it wins here, but not in every YAML parser: put << first");
                        return;
                    }
                }
            }
        }
    }

    /** Merges another mapping as YAML 1.1's {@code <<} does: its entries are added if this mapping lacks their keys. */
    private void merge(YamlNode other, Map<String, Entry> into) {
        if (other instanceof Mapping mapping) {
            mapping.entries().forEach(each -> into.putIfAbsent(each.key().text(), each));
        } else if (other instanceof Sequence sequence
                && sequence.items().stream().allMatch(Mapping.class::isInstance)) {
            sequence.items().forEach(each -> merge(each, into));
        } else {
            problems.error(other.at(), "<< of " + other.kind(), "expected: a mapping, or a list of them");
        }
    }

    private static Position at(Event event) {
        return event.getStartMark().map(YamlReader::position).orElse(Position.FILE);
    }

    /** Thrown if the document passes a bound or cannot be read on. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Position at;
        private final String hint;

        Refused(Position at, String message, String hint) {
            super(message, null, false, false);
            this.at = at;
            this.hint = hint;
        }

        Position at() {
            return at;
        }

        String reason() {
            return String.valueOf(getMessage());
        }

        String hint() {
            return hint;
        }
    }
}
