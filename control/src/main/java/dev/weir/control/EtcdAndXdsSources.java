package dev.weir.control;

import dev.weir.control.etcd.EtcdProtocol;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceProtocol;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.xds.XdsProtocol;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the rule sources that are reached over the network: etcd and xDS. */
public final class EtcdAndXdsSources {
    private EtcdAndXdsSources() {}

    /** Connects to all sources of {@code settings}; see {@link NetworkSources#open}. */
    public static NetworkSources open(SourceSettings settings, LoadOptions options, @Nullable Path data)
            throws IOException {
        return NetworkSources.open(settings, address -> protocol(address, settings), options, data);
    }

    private static SourceProtocol protocol(SourceAddress address, SourceSettings settings) {
        return address instanceof SourceAddress.Etcd etcd
                ? new EtcdProtocol(etcd, settings)
                : new XdsProtocol((SourceAddress.Xds) address, settings);
    }
}
