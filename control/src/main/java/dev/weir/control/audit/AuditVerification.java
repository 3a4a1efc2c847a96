package dev.weir.control.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of verifying an audit log.
 *
 * @param changes the number of changes
 * @param lastHash the hash of the last change; keep it elsewhere to detect later that lines were cut off
 * @param problems the first {@value #MOST} errors
 */
public record AuditVerification(long changes, String lastHash, List<String> problems) {
    private static final int MOST = 20;

    /** Verifies an audit file. */
    public static AuditVerification ofFile(Path file) throws IOException {
        try (BufferedReader lines = AuditFile.reader(file)) {
            return ofLines(file.toString(), lines);
        }
    }

    /** Verifies an audit file that {@code lines} reads; problems show {@code name}. */
    public static AuditVerification ofLines(String name, BufferedReader lines) throws IOException {
        AuditChain chain = new AuditChain();
        List<String> problems = new ArrayList<>();
        long number = 0;
        for (String each = lines.readLine(); each != null; each = lines.readLine()) {
            AuditLine line = AuditLine.parse(each);
            number++;
            add(problems, name + ":" + number + ": ", line == null ? "not an audit line" : chain.add(line));
        }
        return of(chain, problems);
    }

    /** Verifies the audit table, which is read in batches. */
    public static AuditVerification ofTable(Batches batches) {
        AuditChain chain = new AuditChain();
        List<String> problems = new ArrayList<>();
        List<AuditTable.Entry> batch = batches.after(0);
        while (!batch.isEmpty()) {
            batch.forEach(each -> add(problems, "", chain.add(each.line())));
            batch = batches.after(batch.get(batch.size() - 1).line().version());
        }
        return of(chain, problems);
    }

    /** Reads the lines after a version. */
    @FunctionalInterface
    public interface Batches {
        List<AuditTable.Entry> after(long version);
    }

    private static void add(List<String> problems, String where, @Nullable String problem) {
        if (problem != null && problems.size() < MOST) {
            problems.add(where + problem);
        }
    }

    private static AuditVerification of(AuditChain chain, List<String> problems) {
        AuditLine last = chain.last();
        return new AuditVerification(
                chain.lines(), last == null ? AuditLine.START : last.hash(), List.copyOf(problems));
    }
}
