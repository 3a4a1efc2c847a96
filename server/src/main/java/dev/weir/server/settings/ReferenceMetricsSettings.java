package dev.weir.server.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings of the port on which metrics have the names of envoyproxy/ratelimit. */
final class ReferenceMetricsSettings {
    static final Setting<ListenAddress> ADDRESS = Setting.of(
            "reference_metrics",
            "ADDRESS",
            "Address of a port with all metrics, and those of envoyproxy/ratelimit under its names: host:port or"
                    + " :port; without it, none.",
            "",
            "host:port or :port",
            SettingParsers::address);
    static final Setting<String> PATH = Setting.of(
            "reference_metrics_path",
            "PATH",
            "Path of the metrics on that port.",
            "/metrics",
            "a path such as /metrics",
            text -> text.matches("/[A-Za-z0-9._~/-]*") ? text : null);
    static final Setting<Double> NEAR_LIMIT = Setting.of(
                    "near_limit_ratio",
                    "N",
                    "Share of a limit above which hits count as near it, in the metrics of reference_metrics.",
                    "0.8",
                    "a number from 0 to 1",
                    SettingParsers::share)
            .as("NEAR_LIMIT_RATIO");

    static final List<Setting<?>> ALL = List.of(ADDRESS, PATH, NEAR_LIMIT);

    private ReferenceMetricsSettings() {}

    static Settings.@Nullable ReferenceMetrics read(SettingsReader reader) {
        ListenAddress address = reader.orNull(ADDRESS);
        String path = reader.value(PATH);
        double nearLimit = reader.value(NEAR_LIMIT);
        return address == null ? null : new Settings.ReferenceMetrics(address, path, nearLimit);
    }
}
