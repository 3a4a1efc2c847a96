package dev.weir.control.folder;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.token.Role;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.Tokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The changes that a data folder's audit file has and a copy of the database lacks. The copy is written after a change,
 * so a server that is killed leaves one from before its last changes. Its tokens must not come back if they were
 * revoked since; those that were created or rotated since are lost, because the audit has no secrets.
 *
 * @param changes the later changes, oldest first
 * @param unknown why they are unknown; empty if they are known
 */
public record LaterChanges(List<AuditTable.Entry> changes, String unknown) {
    private static final int SHOWN = 10;

    /**
     * Reads the changes after {@code copy} from the audit file in {@code folder}.
     *
     * @param shared whether the database has other writers, so that the folder cannot tell what it lacks
     */
    public static LaterChanges than(DatabaseCopy.Contents copy, Path folder, boolean shared) {
        if (!copy.position().isKnown()) {
            return unknown("an earlier version of Weir wrote it");
        }
        Path file = folder.resolve(AuditFile.NAME);
        try {
            List<AuditLine> lines = AuditFile.linesAfter(file, copy.position());
            if (lines == null) {
                // The file was moved away or has lost its end. The copy is still the last one if nothing was committed
                // later.
                boolean last =
                        shared || LastCommit.in(folder) == copy.position().version();
                return last ? new LaterChanges(List.of(), "") : unknown(file + " ends before the copy");
            }
            List<AuditTable.Entry> entries = new ArrayList<>();
            for (AuditLine each : lines) {
                entries.add(AuditTable.Entry.of(each));
            }
            return new LaterChanges(List.copyOf(entries), "");
        } catch (IOException e) {
            return unknown(String.valueOf(e.getMessage()));
        }
    }

    private static LaterChanges unknown(String why) {
        return new LaterChanges(List.of(), why);
    }

    /** Returns whether the later changes are known. */
    public boolean areKnown() {
        return unknown.isEmpty();
    }

    /** Returns the tokens of {@code copy} that no later change concerns. */
    public List<StoredToken> untouched(DatabaseCopy.Contents copy) {
        Set<String> touched = touched();
        return copy.tokens().stream()
                .filter(each -> !touched.contains(each.id()))
                .toList();
    }

    private Set<String> touched() {
        Set<String> touched = new HashSet<>();
        for (AuditTable.Entry each : changes) {
            if (each.kind().equals(Tokens.KIND)) {
                touched.add(each.subject());
            }
        }
        return touched;
    }

    /**
     * Returns whether {@linkplain #untouched the rest} of the tokens says who may get in. It does not if a token has
     * changed and no admin token is left: there may be one that the copy lacks.
     */
    public boolean tellWhoMayGetIn(DatabaseCopy.Contents copy) {
        return areKnown()
                && (touched().isEmpty() || untouched(copy).stream().anyMatch(each -> each.role() == Role.ADMIN));
    }

    /** Returns the versions of the later changes by kind, for people. Subjects are left out: they may be API keys. */
    public String summary() {
        Map<String, List<Long>> byKind = new TreeMap<>();
        for (AuditTable.Entry each : changes) {
            byKind.computeIfAbsent(each.kind(), kind -> new ArrayList<>())
                    .add(each.line().version());
        }
        return byKind.entrySet().stream()
                .map(each -> each.getKey() + " ("
                        + each.getValue().stream()
                                .limit(SHOWN)
                                .map(String::valueOf)
                                .collect(Collectors.joining(", "))
                        + (each.getValue().size() > SHOWN ? ", …" : "") + ")")
                .collect(Collectors.joining(", "));
    }
}
