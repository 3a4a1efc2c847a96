package dev.weir.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls the admin port with a change that is audited. */
final class AuditedClient extends AdminClient {
    @Option(names = "--reason", paramLabel = "TEXT", description = "Reason of the change, for the audit.")
    private @Nullable String reason;

    @Override
    @Nullable
    String reason() {
        return reason;
    }
}
