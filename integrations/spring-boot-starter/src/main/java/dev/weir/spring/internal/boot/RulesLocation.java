package dev.weir.spring.internal.boot;

import dev.weir.RuleSource;
import dev.weir.rules.Rules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Reads {@code weir.rules}: a file, a folder, a resource of the class path, or the text of a rule file. */
final class RulesLocation {
    /** Where rules are if the property is not set. */
    static final String USUAL = "classpath:weir-rules.yaml";

    private static final String CURE = """
        Set weir.rules to a rule file (rules.yaml or classpath:rules.yaml), or write the rules themselves:

        weir:
          rules: |
            rules:
              - name: per-caller
                key_by: api_key | ip
                limit: { requests: 5, window: 1m }\
        """;

    private RulesLocation() {}

    /** Whether the application has rules of its own. */
    static boolean isSet(@Nullable String property, ResourceLoader loader) {
        return (property != null && !property.isBlank())
                || loader.getResource(USUAL).exists();
    }

    static RuleSource read(@Nullable String property, ResourceLoader loader) {
        if (property == null || property.isBlank()) {
            if (!loader.getResource(USUAL).exists()) {
                throw new WeirStartFailure(
                        "Weir has no rules: weir.rules is not set, and there is no " + USUAL + ".", CURE);
            }
            return resource(USUAL, loader);
        }
        if (property.contains("\n") || property.contains(": ") || property.startsWith("{")) {
            return parsed("weir.rules", property);
        }
        String place = property.strip();
        return place.startsWith("classpath:") ? resource(place, loader) : file(place);
    }

    private static RuleSource resource(String place, ResourceLoader loader) {
        Resource resource = loader.getResource(place);
        if (!resource.exists()) {
            throw new WeirStartFailure("weir.rules: there is no " + place + ".", CURE);
        }
        try {
            return parsed(place, resource.getContentAsString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new WeirStartFailure("weir.rules: " + place + " cannot be read: " + e, CURE, e);
        }
    }

    private static RuleSource parsed(String place, String text) {
        try {
            return Rules.yaml(place, text);
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    /** The failure for rules that do not load. */
    static WeirStartFailure wrong(IllegalArgumentException e) {
        return new WeirStartFailure(
                "The rules are wrong:\n\n" + WeirStartFailure.messageOf(e),
                "Correct them; each line above names the place, what was found and what was expected.",
                e);
    }

    private static RuleSource file(String place) {
        Path path;
        try {
            path = Path.of(place.startsWith("file:") ? place.substring("file:".length()) : place);
        } catch (InvalidPathException e) {
            throw new WeirStartFailure("weir.rules: " + place + " is not a path: " + e.getMessage(), CURE, e);
        }
        if (!Files.exists(path)) {
            throw new WeirStartFailure("weir.rules: there is no file or folder " + path.toAbsolutePath() + ".", CURE);
        }
        return Files.isDirectory(path) ? Rules.folder(path) : Rules.file(path);
    }
}
