package dev.weir.server.settings;

import java.time.Duration;
import java.util.List;

/** Settings that bound what peers may take of this process. */
final class NetworkSettings {
    private static final int MOST_CONNECTIONS = 10_000;
    /** About four times what an open connection without TLS takes, so that many of them leave most of the heap to others. */
    private static final long HEAP_OF_CONNECTION = 64 << 10;

    static final Setting<Integer> MAX_CONNECTIONS = Setting.integer(
            "max_connections",
            "Connections open at once on each port; without it 10,000, or one for every 64 KiB of heap if that is fewer.",
            "",
            1,
            1_000_000);
    static final Setting<Integer> MAX_CONNECTIONS_PER_ADDRESS = Setting.integer(
            "max_connections_per_address",
            "Connections of one peer address (IPv6: /64) on each port; without it, half of max_connections.",
            "",
            1,
            1_000_000);
    static final Setting<Long> NETWORK_MEMORY = Setting.of(
            "network_memory",
            "SIZE",
            "Memory that peers may hold with unfinished requests and answers not taken; without it a quarter of the heap, at"
                    + " most half of the direct memory and 256 MiB.",
            "",
            "a size from 16MiB to 1024GiB",
            SettingParsers.size(16L << 20, 1L << 40));
    static final Setting<Duration> HEAD_TIMEOUT = Setting.of(
            "head_timeout",
            "DURATION",
            "Longest that the head of an HTTP request may take to arrive.",
            "10s",
            "a duration from 100ms to 10m",
            SettingParsers.duration(Duration.ofMillis(100), Duration.ofMinutes(10)));

    static final List<Setting<?>> ALL =
            List.of(MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, NETWORK_MEMORY, HEAD_TIMEOUT);

    private NetworkSettings() {}

    static Settings.Network read(SettingsReader reader) {
        int connections = reader.orElse(
                MAX_CONNECTIONS, connectionsThatFit(Runtime.getRuntime().maxMemory()));
        return new Settings.Network(
                connections,
                reader.orElse(MAX_CONNECTIONS_PER_ADDRESS, (connections + 1) / 2),
                reader.orNull(NETWORK_MEMORY),
                reader.value(HEAD_TIMEOUT));
    }

    static int connectionsThatFit(long heap) {
        return (int) Math.min(MOST_CONNECTIONS, Math.max(64, heap / HEAP_OF_CONNECTION));
    }
}
