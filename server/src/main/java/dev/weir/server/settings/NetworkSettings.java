package dev.weir.server.settings;

import java.time.Duration;
import java.util.List;

/** The settings that bound connections and the memory that peers hold. */
final class NetworkSettings {
    private static final int DEFAULT_CONNECTIONS = 10_000;
    /** At least twice the heap of an open connection, with or without TLS, so that connections leave most of it free. */
    private static final long HEAP_PER_CONNECTION = 64 << 10;

    static final Setting<Integer> MAX_CONNECTIONS = Setting.integer(
            "max_connections",
            "Open connections per port; without it 10,000, or one per 64 KiB of heap if that is fewer.",
            "",
            1,
            1_000_000);
    static final Setting<Integer> MAX_CONNECTIONS_PER_ADDRESS = Setting.integer(
            "max_connections_per_address",
            "Open connections of one peer address (IPv6: /64) per port; without it, half of max_connections.",
            "",
            1,
            1_000_000);
    static final Setting<Long> NETWORK_MEMORY = Setting.of(
            "network_memory",
            "SIZE",
            "Memory for unfinished requests and unsent answers of all peers; without it three sixteenths of the"
                    + " heap, at most half of the direct memory and 256 MiB.",
            "",
            "a size from 16MiB to 1024GiB",
            SettingParsers.size(16L << 20, 1L << 40));
    static final Setting<Duration> HEAD_TIMEOUT = Setting.of(
            "head_timeout",
            "DURATION",
            "Maximum time for the head of an HTTP request to arrive.",
            "10s",
            "a duration from 100ms to 10m",
            SettingParsers.duration(Duration.ofMillis(100), Duration.ofMinutes(10)));

    static final Setting<Duration> GRPC_MAX_CONNECTION_AGE = Setting.of(
                    "grpc_max_connection_age",
                    "DURATION",
                    "Age at which a gRPC connection is asked to close, give or take a tenth; 0s for never.",
                    "24h",
                    "a duration up to 365d",
                    SettingParsers.duration(Duration.ZERO, Duration.ofDays(365)))
            .as("GRPC_MAX_CONNECTION_AGE");
    static final Setting<Duration> GRPC_MAX_CONNECTION_AGE_GRACE = Setting.of(
                    "grpc_max_connection_age_grace",
                    "DURATION",
                    "Time after that for calls in flight; then the connection is closed.",
                    "1h",
                    "a duration up to 365d",
                    SettingParsers.duration(Duration.ZERO, Duration.ofDays(365)))
            .as("GRPC_MAX_CONNECTION_AGE_GRACE");
    static final Setting<Boolean> SHED_LOAD = Setting.bool(
            "shed_load", "Refuse HTTP and admin requests with 503 while this process is overloaded.", "true");

    static final List<Setting<?>> ALL = List.of(
            MAX_CONNECTIONS,
            MAX_CONNECTIONS_PER_ADDRESS,
            NETWORK_MEMORY,
            HEAD_TIMEOUT,
            GRPC_MAX_CONNECTION_AGE,
            GRPC_MAX_CONNECTION_AGE_GRACE,
            SHED_LOAD);

    private NetworkSettings() {}

    static Settings.Network read(SettingsReader reader) {
        int connections = reader.orElse(
                MAX_CONNECTIONS, connectionsThatFit(Runtime.getRuntime().maxMemory()));
        return new Settings.Network(
                connections,
                reader.orElse(MAX_CONNECTIONS_PER_ADDRESS, (connections + 1) / 2),
                reader.orNull(NETWORK_MEMORY),
                reader.value(HEAD_TIMEOUT),
                reader.value(GRPC_MAX_CONNECTION_AGE),
                reader.value(GRPC_MAX_CONNECTION_AGE_GRACE),
                reader.value(SHED_LOAD));
    }

    static int connectionsThatFit(long heap) {
        return (int) Math.min(DEFAULT_CONNECTIONS, Math.max(64, heap / HEAP_PER_CONNECTION));
    }
}
