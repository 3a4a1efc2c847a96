package dev.weir.server.settings;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The settings of the path that gateways ask about the requests that they forward. */
final class ForwardPathSettings {
    private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern LOCATION = Pattern.compile("@[a-z0-9_]{1,32}");
    /** Attributes that the path derives itself. */
    private static final Set<String> DERIVED = Set.of("endpoint", "method", "ip");

    private static final int MOST_ATTRIBUTES = 32;

    static final Setting<Map<String, String>> ATTRIBUTES = Setting.of(
            "forward_attributes",
            "NAME=HEADER,…",
            "Attributes that /v1/ratelimit/forward reads from headers.",
            "api_key=X-API-Key",
            "attribute=Header, separated by commas; not endpoint, method or ip",
            ForwardPathSettings::attributes);
    static final Setting<Set<String>> LOCATIONS = Setting.of(
            "forward_locations",
            "@NAME,…",
            "Locations of nginx that /v1/ratelimit/forward may redirect to, with accel=@name.",
            "",
            "named locations such as @app, separated by commas",
            ForwardPathSettings::locations);

    static final List<Setting<?>> ALL = List.of(ATTRIBUTES, LOCATIONS);

    private ForwardPathSettings() {}

    static Settings.Forward read(SettingsReader reader) {
        return new Settings.Forward(reader.value(ATTRIBUTES), reader.orElse(LOCATIONS, Set.of()));
    }

    private static @Nullable Map<String, String> attributes(String text) {
        List<String> pairs = SettingParsers.names(text);
        if (pairs == null || pairs.size() > MOST_ATTRIBUTES) {
            return null;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String each : pairs) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? "" : each.substring(0, equals).strip();
            String header = SettingParsers.headerName(each.substring(equals + 1).strip());
            if (header == null
                    || !ATTRIBUTE.matcher(name).matches()
                    || DERIVED.contains(name)
                    || headers.put(name, header) != null) {
                return null;
            }
        }
        return headers;
    }

    private static @Nullable Set<String> locations(String text) {
        List<String> names = SettingParsers.names(text);
        return names == null
                        || !names.stream()
                                .allMatch(each -> LOCATION.matcher(each).matches())
                ? null
                : new LinkedHashSet<>(names);
    }
}
