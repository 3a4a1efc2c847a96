package dev.weir.server.settings;

import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.source.SourceSettings.Login;
import dev.weir.control.source.SourceSettings.Node;
import dev.weir.control.source.SourceSettings.Tls;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds the settings of the rule sources on the network. No message repeats a password. */
final class SourcesReader {
    private final SettingsReader reader;
    private final List<String> problems;

    SourcesReader(SettingsReader reader, List<String> problems) {
        this.reader = reader;
        this.problems = problems;
    }

    SourceSettings read(List<SourceAddress> addresses) {
        reader.needs(RuleSettings.TLS_CERT, RuleSettings.TLS_KEY);
        reader.needs(RuleSettings.TLS_KEY, RuleSettings.TLS_CERT);
        return new SourceSettings(
                addresses,
                new Login(reader.orElse(RuleSettings.USER, ""), password()),
                new Tls(
                        reader.orNull(RuleSettings.TLS_CA),
                        reader.orNull(RuleSettings.TLS_CERT),
                        reader.orNull(RuleSettings.TLS_KEY),
                        reader.orNull(RuleSettings.TLS_NAME)),
                new Node(
                        reader.value(RuleSettings.NODE_ID),
                        pairs(RuleSettings.NODE_METADATA, "="),
                        pairs(RuleSettings.HEADERS, ":")),
                reader.value(RuleSettings.RETRY),
                reader.value(RuleSettings.WAIT),
                reader.value(RuleSettings.REQUIRED));
    }

    private Supplier<String> password() {
        @Nullable String fixed = reader.orNull(RuleSettings.PASSWORD);
        Path file = reader.orNull(RuleSettings.PASSWORD_FILE);
        if (fixed != null && file != null) {
            problems.add("rules_password_file: conflicts with rules_password (expected: one of them)");
        }
        if (file == null) {
            String password = fixed == null ? "" : fixed;
            return () -> password;
        }
        try {
            return new PasswordFile(file);
        } catch (IOException e) {
            problems.add("rules_password_file: \"" + file + "\" cannot be read: " + FileErrors.why(e));
            return () -> "";
        }
    }

    /**
     * Reads {@code name=value,name=value}. Like the reference service, it skips what is not a pair, but with a warning.
     */
    private Map<String, String> pairs(Setting<String> setting, String separator) {
        Map<String, String> pairs = new LinkedHashMap<>();
        String text = reader.orElse(setting, "");
        for (String each : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int at = each.indexOf(separator);
            if (at > 0) {
                pairs.put(each.substring(0, at).strip(), each.substring(at + 1).strip());
            } else {
                reader.warn(setting.name() + ": ignored a malformed entry (expected: " + setting.expected() + ")");
            }
        }
        return pairs;
    }
}
