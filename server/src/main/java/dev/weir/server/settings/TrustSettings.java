package dev.weir.server.settings;

import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.match.pattern.TrustedProxies.Header;
import dev.weir.internal.runtime.FleetSecret;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings that say whom the server believes: servers of its fleet, and proxies before it. */
final class TrustSettings {
    static final Setting<String> FLEET_SECRET = Setting.secret(
            "fleet_secret",
            "Secret that signs what servers tell each other through Redis, the same on all; NEW,OLD while it is"
                    + " replaced; in weir.yaml or the environment only.");
    static final Setting<List<String>> TRUSTED_PROXIES = Setting.of(
            "trusted_proxies",
            "CIDR,…",
            "Proxies whose forwarded_header names the caller, where Weir derives ip; without it, ip is the peer.",
            "",
            "addresses or blocks such as 10.0.0.0/8, separated by commas",
            TrustSettings::blocks);
    static final Setting<Header> FORWARDED_HEADER = Setting.of(
            "forwarded_header",
            "NAME",
            "Header that the trusted proxies write: x-forwarded-for or forwarded.",
            "x-forwarded-for",
            "x-forwarded-for or forwarded",
            TrustSettings::header);

    static final List<Setting<?>> ALL = List.of(FLEET_SECRET, TRUSTED_PROXIES, FORWARDED_HEADER);

    private TrustSettings() {}

    static Settings.Trust read(SettingsReader reader) {
        return new Settings.Trust(
                fleetSecret(reader),
                TrustedProxies.of(reader.orElse(TRUSTED_PROXIES, List.of()), reader.value(FORWARDED_HEADER)));
    }

    private static @Nullable FleetSecret fleetSecret(SettingsReader reader) {
        String given = reader.orNull(FLEET_SECRET);
        if (given == null) {
            return null;
        }
        List<String> secrets =
                Stream.of(given.split(",", -1)).map(String::strip).toList();
        if (secrets.size() > FleetSecret.MOST) {
            reader.problem(FLEET_SECRET, secrets.size() + " secrets (expected: one, or NEW,OLD while it is replaced)");
        }
        boolean valid = true;
        for (String each : secrets) {
            if (each.length() < FleetSecret.MIN_LENGTH) {
                valid = false;
                reader.problem(
                        FLEET_SECRET,
                        each.length() + " characters (expected: at least " + FleetSecret.MIN_LENGTH
                                + "; create one with: openssl rand -hex 32)");
            }
        }
        if (secrets.stream().distinct().count() < secrets.size()) {
            reader.problem(FLEET_SECRET, "the same secret twice (expected: NEW,OLD, or one)");
        }
        return valid ? new FleetSecret(secrets) : null;
    }

    private static @Nullable List<String> blocks(String text) {
        List<String> blocks = SettingParsers.names(text);
        try {
            return blocks == null
                    ? null
                    : TrustedProxies.of(blocks, Header.FORWARDED).blocks();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Header header(String text) {
        for (Header each : Header.values()) {
            if (each.text().equalsIgnoreCase(text)) {
                return each;
            }
        }
        return null;
    }
}
