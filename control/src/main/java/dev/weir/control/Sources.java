package dev.weir.control;

import dev.weir.control.etcd.EtcdProtocol;
import dev.weir.control.source.Protocol;
import dev.weir.control.source.RuleSources;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.xds.XdsProtocol;
import dev.weir.rules.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the sources of rules that are neither files nor the database. */
public final class Sources {
    private Sources() {}

    /** Connects to all that {@code settings} name; see {@link RuleSources#open}. */
    public static RuleSources open(SourceSettings settings, LoadOptions options, @Nullable Path data)
            throws IOException {
        return RuleSources.open(settings, address -> protocol(address, settings), options, data);
    }

    private static Protocol protocol(SourceAddress address, SourceSettings settings) {
        return address instanceof SourceAddress.Etcd etcd
                ? new EtcdProtocol(etcd, settings)
                : new XdsProtocol((SourceAddress.Xds) address, settings);
    }
}
