package dev.weir.server.settings;

import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.match.pattern.TrustedProxies.Header;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings that say whom the server believes, servers of its fleet and proxies before it, and whom it bans. */
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

    static final Setting<List<Settings.BanList>> BAN_LISTS = Setting.of(
            "ban_lists",
            "FILE,…",
            "Files with addresses to ban, one address or block a line, followed for changes; shadow:FILE shadow bans,"
                    + " allow:FILE exempts from bans.",
            "",
            "files, separated by commas",
            TrustSettings::banLists);

    static final Setting<List<Path>> REPUTATION_LISTS = Setting.of(
            "reputation_lists",
            "FILE,…",
            "Files with the reputation of addresses, one address or block and its score (0 to 100) a line, followed for"
                    + " changes; rules with reputation use them.",
            "",
            "files, separated by commas",
            TrustSettings::files);

    static final Setting<URI> CROWDSEC_URL = Setting.of(
            "crowdsec_url",
            "URL",
            "Local API of a CrowdSec, whose decisions become bans.",
            "",
            "http://host:8080 or https://host",
            TrustSettings::url);
    static final Setting<String> CROWDSEC_KEY = Setting.secret(
            "crowdsec_key", "Key of this bouncer at that CrowdSec; in weir.yaml or the environment only.");

    static final List<Setting<?>> ALL = List.of(
            FLEET_SECRET, TRUSTED_PROXIES, FORWARDED_HEADER, BAN_LISTS, REPUTATION_LISTS, CROWDSEC_URL, CROWDSEC_KEY);

    private TrustSettings() {}

    static Settings.Trust read(SettingsReader reader) {
        return new Settings.Trust(
                fleetSecret(reader),
                TrustedProxies.of(reader.orElse(TRUSTED_PROXIES, List.of()), reader.value(FORWARDED_HEADER)),
                reader.orElse(BAN_LISTS, List.of()),
                reader.orElse(REPUTATION_LISTS, List.of()),
                crowdSec(reader));
    }

    private static Settings.@Nullable CrowdSec crowdSec(SettingsReader reader) {
        URI url = reader.orNull(CROWDSEC_URL);
        String key = reader.orNull(CROWDSEC_KEY);
        if (url != null && key == null) {
            reader.problem(CROWDSEC_URL, url + " without crowdsec_key (expected: both; cscli bouncers add weir)");
        }
        return url == null || key == null ? null : new Settings.CrowdSec(url, key);
    }

    static @Nullable URI url(String text) {
        try {
            URI url = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            return http && url.getHost() != null && url.getQuery() == null ? url : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable List<Settings.BanList> banLists(String text) {
        List<String> names = SettingParsers.names(text);
        List<Settings.BanList> lists = new ArrayList<>();
        for (String each : names == null ? List.<String>of() : names) {
            boolean shadow = each.startsWith("shadow:");
            boolean allow = each.startsWith("allow:");
            Path file = SettingParsers.path(shadow || allow ? each.substring(each.indexOf(':') + 1) : each);
            if (file == null || file.toString().isEmpty()) {
                return null;
            }
            lists.add(new Settings.BanList(shadow ? BanKind.SHADOW : allow ? BanKind.ALLOW : BanKind.BAN, file));
        }
        return names == null ? null : lists;
    }

    private static @Nullable List<Path> files(String text) {
        List<String> names = SettingParsers.names(text);
        List<Path> files = new ArrayList<>();
        for (String each : names == null ? List.<String>of() : names) {
            Path file = SettingParsers.path(each);
            if (file == null || file.toString().isEmpty()) {
                return null;
            }
            files.add(file);
        }
        return names == null ? null : files;
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
