package dev.weir.server.command;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.CommandTime;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.InputFile;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists and verifies the audit. */
@Command(
        name = "audit",
        description = "List and verify the audit of changes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: weir audit list --since 24h --kind rule",
            "         weir audit verify --data /var/lib/weir"
        })
final class AuditCommand extends AdminCommandGroup {
    private static final String AUDIT = "/admin/v1/audit";
    private static final long FOLLOW_MILLIS = 1_000;

    /** The changes to list. */
    static final class Filter {
        @Option(names = "--author", paramLabel = "NAME", description = "Only changes of this author.")
        private @Nullable String author;

        @Option(
                names = "--kind",
                paramLabel = "KIND",
                description =
                        "Only changes of this kind: rule, quota, switch, ban, token, counter, file or" + " recovery.")
        private @Nullable String kind;

        @Option(names = "--object", paramLabel = "NAME", description = "Only changes of this rule, caller or token.")
        private @Nullable String object;

        @Option(
                names = "--since",
                paramLabel = "DURATION|TIME",
                description = "Only changes since then: 24h, or 2027-02-01T00:00:00Z.")
        private @Nullable String since;

        private String query() throws CommandException {
            StringBuilder query = new StringBuilder();
            add(query, "author", author);
            add(query, "kind", kind);
            add(query, "object", object);
            add(query, "since", since == null ? null : CommandTime.past("--since", since));
            return query.toString();
        }

        private static void add(StringBuilder query, String name, @Nullable String value) {
            if (value != null) {
                query.append('&').append(name).append('=').append(AdminClient.encoded(value));
            }
        }
    }

    @Command(name = "list", description = "List changes, oldest first.", mixinStandardHelpOptions = true)
    int list(
            @Mixin AdminClient admin,
            @Mixin Filter filter,
            @Option(names = "--follow", description = "Keep running, and print changes as they are made.")
                    boolean follow,
            @Option(names = "--json", description = "Print one JSON object per line.") boolean json)
            throws CommandException {
        String query = filter.query();
        String after = "";
        boolean headed = json;
        while (after != null) {
            JsonObject page =
                    admin.get(AUDIT + "?limit=1000&after=" + after + query).body();
            if (!headed) {
                out().println(row("VERSION", "AT", "WHO", "KIND", "OBJECT", "CHANGE", "REASON"));
                headed = true;
            }
            page.getJsonArray("changes").forEach(each -> print((JsonObject) each, json));
            out().flush();
            after = page.getString("next");
            if (after == null && follow) {
                after = String.valueOf(page.getLong("last"));
                try {
                    Thread.sleep(FOLLOW_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return ExitCodes.YES;
                }
            }
        }
        return ExitCodes.YES;
    }

    private void print(JsonObject change, boolean json) {
        out().println(
                        json
                                ? change.encode()
                                : row(
                                        String.valueOf(change.getLong("version")),
                                        change.getInstant("at")
                                                .truncatedTo(ChronoUnit.SECONDS)
                                                .toString(),
                                        change.getString("who"),
                                        change.getString("kind"),
                                        change.getString("subject"),
                                        change.getString("change"),
                                        change.getString("reason")));
    }

    /** One line of a table whose rows are printed before the widest is known. */
    private static String row(String... cells) {
        return String.format("%-8s %-20s %-16s %-8s %-24s %-7s %s", (Object[]) cells)
                .replaceAll("[\\p{Cntrl}\\p{Cf}]", "?")
                .stripTrailing();
    }

    @Command(
            name = "verify",
            description = "Verify the hash chain of an audit file, or of a running server's audit.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "%nExit code:%n",
            exitCodeList = {
                "0:intact",
                "1:broken",
                "2:wrong arguments, or a file that cannot be read",
                "3:no such file",
                "4:no answer"
            })
    int verify(
            @Mixin AdminClient admin,
            @Option(
                            names = "--data",
                            paramLabel = "DIR|FILE",
                            description =
                                    "Data folder or audit file, - for standard input; without it, the server's audit.")
                    @Nullable
                    Path data)
            throws CommandException {
        boolean intact = print(data == null ? ofServer(admin) : ofFile(data), "changes");
        Path switches = data == null ? null : data.resolve(SwitchJournal.NAME);
        if (switches != null && Files.exists(switches)) {
            intact &= print(ofFile(switches), "switches made without the database");
        }
        out().flush();
        return intact ? ExitCodes.YES : ExitCodes.NO;
    }

    private boolean print(AuditVerification found, String what) {
        PrintWriter out = out();
        found.problems().forEach(out::println);
        boolean intact = found.problems().isEmpty();
        out.println((intact ? "chain intact: " : "CHAIN BROKEN: ") + found.changes() + " " + what + ", last hash "
                + found.lastHash());
        return intact;
    }

    private static AuditVerification ofFile(Path data) throws CommandException {
        Path file = Files.isDirectory(data) ? data.resolve(AuditFile.NAME) : data;
        try {
            return InputFile.isStandardInput(data)
                    ? AuditVerification.ofLines(
                            InputFile.STANDARD_INPUT,
                            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)))
                    : AuditVerification.ofFile(file);
        } catch (IOException e) {
            throw InputFile.unreadable(file.toString(), e);
        }
    }

    private static AuditVerification ofServer(AdminClient admin) throws CommandException {
        JsonObject found = admin.get("/admin/v1/audit/verify").body();
        return new AuditVerification(
                found.getLong("changes"),
                found.getString("last_hash"),
                found.getJsonArray("problems").stream().map(String::valueOf).toList());
    }
}
