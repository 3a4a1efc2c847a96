package dev.weir.control.switches;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.Author;
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes switch changes as JSON objects and reads them. */
public final class SwitchJson {
    private SwitchJson() {}

    static void writeTerms(JsonGenerator json, SwitchChange of) throws IOException {
        json.writeStringField("domain", of.name().domain());
        json.writeStringField("rule", of.name().rule());
        Setting setting = of.setting();
        json.writeStringField("state", setting == null ? null : setting.state().text());
        BigDecimal percent = of.percent();
        if (percent != null) {
            json.writeNumberField("rollout", percent);
        }
        json.writeNumberField("stamp", of.stamp());
        json.writeStringField("via", of.via().name().toLowerCase(Locale.ROOT));
    }

    static void writeAuthor(JsonGenerator json, Author author) throws IOException {
        json.writeStringField("who", author.name());
        json.writeStringField("from", author.from());
        json.writeStringField("reason", author.reason());
    }

    /**
     * Reads a switch change from JSON.
     *
     * @throws IOException if {@code text} is not one
     */
    public static SwitchChange read(String text) throws IOException {
        Mapping object = object(text);
        return of(object, author(object));
    }

    /** Reads a JSON object. */
    static Mapping object(String text) throws IOException {
        YamlNode root = YamlReader.read(text.getBytes(StandardCharsets.UTF_8), new DiagnosticCollector("switch"));
        if (root instanceof Mapping object) {
            return object;
        }
        throw new IOException("not a JSON object");
    }

    static Author author(Mapping object) throws IOException {
        return new Author(text(object, "who"), text(object, "from"), text(object, "reason"));
    }

    /** Reads the switch change in {@code object}. */
    static SwitchChange of(Mapping object, Author author) throws IOException {
        try {
            SwitchName name = new SwitchName(text(object, "domain"), text(object, "rule"));
            String state = textOrNull(object, "state");
            String percent = textOrNull(object, "rollout");
            int rollout = percent == null
                    ? Rule.EVERYONE
                    : new BigDecimal(percent).movePointRight(2).intValueExact();
            Setting setting =
                    state == null ? null : new Setting(SwitchState.valueOf(state.toUpperCase(Locale.ROOT)), rollout);
            long stamp = Long.parseLong(text(object, "stamp"));
            return new SwitchChange(name, setting, stamp, author, via(text(object, "via")));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("not a switch: " + e.getMessage(), e);
        }
    }

    /** How the switch came into force. It holds all the same if a later version made it in a way that this one does not know. */
    private static Via via(String text) {
        for (Via each : Via.values()) {
            if (each.name().equalsIgnoreCase(text)) {
                return each;
            }
        }
        return Via.REDIS;
    }

    static String text(Mapping object, String name) throws IOException {
        String text = textOrNull(object, name);
        if (text == null) {
            throw new IOException("a switch lacks " + name);
        }
        return text;
    }

    private static @Nullable String textOrNull(Mapping object, String name) {
        YamlNode.Entry entry = object.entry(name);
        return entry != null && entry.value() instanceof Scalar scalar && !scalar.isNull() ? scalar.text() : null;
    }
}
