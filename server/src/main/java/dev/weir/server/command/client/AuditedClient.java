package dev.weir.server.command.client;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls the admin port with a change that is audited. */
public final class AuditedClient extends AdminClient {
    @Option(names = "--reason", paramLabel = "TEXT", description = "Reason of the change, for the audit.")
    private @Nullable String reason;

    @Override
    @Nullable
    public String reason() {
        return reason;
    }
}
