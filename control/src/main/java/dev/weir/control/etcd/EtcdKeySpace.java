package dev.weir.control.etcd;

import com.google.protobuf.ByteString;
import dev.weir.control.etcd.proto.Event;
import dev.weir.control.etcd.proto.KeyValue;
import dev.weir.control.source.SourceSnapshot;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.Severity;
import dev.weir.text.yaml.YamlReader;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The keys below a prefix and their values, as of one revision. */
final class EtcdKeySpace {
    private static final int MAX_KEYS = 10_000;
    private static final long MAX_BYTES = 4L * YamlReader.MAX_BYTES;

    private final String prefix;
    private final SortedMap<String, ByteString> values = new TreeMap<>();
    private long revision;
    private long bytes;
    private boolean complete = true;

    EtcdKeySpace(String prefix) {
        this.prefix = prefix;
    }

    /** Returns the first key below {@code prefix}. */
    static ByteString begin(String prefix) {
        return ByteString.copyFromUtf8(prefix + "/");
    }

    /** Returns the first key after all that are below {@code prefix}: {@code 0} follows the slash. */
    static ByteString end(String prefix) {
        return ByteString.copyFromUtf8(prefix + "0");
    }

    void put(KeyValue entry) {
        String key = entry.getKey().toStringUtf8();
        ByteString old = values.put(key, entry.getValue());
        bytes += entry.getValue().size() - (old == null ? 0 : old.size());
    }

    void apply(Event event) {
        revision = Math.max(revision, event.getKv().getModRevision());
        if (event.getType() == Event.EventType.PUT) {
            put(event.getKv());
            return;
        }
        ByteString old = values.remove(event.getKv().getKey().toStringUtf8());
        bytes -= old == null ? 0 : old.size();
    }

    long revision() {
        return revision;
    }

    void revision(long now) {
        revision = now;
    }

    /** Returns whether the bounds are exceeded; the remaining keys need not be listed. */
    boolean isFull() {
        return values.size() > MAX_KEYS || bytes > MAX_BYTES;
    }

    /** Returns whether all keys were listed. */
    boolean isComplete() {
        return complete;
    }

    void complete(boolean listed) {
        complete = listed;
    }

    /** Returns all values as rule documents, ordered by key. */
    SourceSnapshot documents() {
        String version = "revision " + revision;
        if (isFull() || !complete) {
            String most = "more than " + MAX_KEYS + " keys or " + (MAX_BYTES >> 20) + " MiB";
            return new SourceSnapshot(List.of(), List.of(error(most, "")), version);
        }
        if (values.isEmpty()) {
            // As with a folder, an empty prefix is an error, because a prefix is easily mistyped or deleted by mistake.
            String hint = "expected: at least one document; write rules: [] to limit nothing";
            return new SourceSnapshot(List.of(), List.of(error("no keys below " + prefix + "/", hint)), version);
        }
        List<RuleDocument> documents = new ArrayList<>();
        values.forEach((key, value) -> documents.add(new RuleDocument("etcd:" + key, value.toByteArray())));
        return new SourceSnapshot(documents, List.of(), version);
    }

    private Diagnostic error(String message, String hint) {
        return new Diagnostic("etcd:" + prefix, 0, 0, Severity.ERROR, message, hint);
    }
}
