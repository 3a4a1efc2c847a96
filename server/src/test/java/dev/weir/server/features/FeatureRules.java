package dev.weir.server.features;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rules with each {@link Feature}: in the domain {@code api} with {@code on_fail: allow}, in {@code strict} with {@code deny}. */
final class FeatureRules {
    private static final String RULES = """
            domain: %s
            on_fail: %s
            deadline: %s
            services:
              database: {}
            %s
            rules:
              - name: permits
                match: { feature: permits }
                key_by: user_id
                limit: { requests: 1, algorithm: concurrency, permit_ttl: 10m }
              - name: leased
                match: { feature: leased }
                key_by: user_id
                consistency: leased
                limit: { requests: 1, algorithm: concurrency, permit_ttl: 10m }
              - name: queue
                match: { feature: queue }
                key_by: user_id
                limit: { requests: 1, window: 1h }
                over: { queue: { max_wait: 5s } }
              - name: patient
                match: { feature: patient }
                key_by: user_id
                limit: { requests: 1, window: 25s }
                over: { queue: { max_wait: 30s } }
              - name: tarpit
                match: { feature: tarpit }
                key_by: user_id
                limit: { requests: 1, window: 1h }
                over: { tarpit: { delay: 100ms } }
              - name: reputation
                match: { feature: reputation }
                key_by: ip
                limit: { requests: 4, window: 1h }
                reputation: { 80: 0.5 }
              - name: load
                match: { feature: load }
                key_by: user_id
                limit: { requests: 4, window: 1h }
                follows: { service: database, at: { 0.8: 1.0, 0.9: 0.5 } }
              - name: holds
                match: { feature: holds }
                key_by: user_id
                counts: tokens
                limit: { requests: 100, window: 1h }
              - { name: stop, match: { stop: "yes" }, limit: { requests: 0, window: 1h } }
            """;

    private static final String SERVICE =
            "  capacity%1$d: { match: { feature: capacity%1$d }, capacity: { requests: 20, window: 10s } }";

    private FeatureRules() {}

    /** Writes the rules into a folder of {@code folder}. */
    static Path in(Path folder, String deadline) throws IOException {
        Path rules = Files.createDirectory(folder.resolve("rules"));
        String services = IntStream.rangeClosed(1, Feature.CALLERS)
                .mapToObj(SERVICE::formatted)
                .collect(Collectors.joining("\n"));
        Files.writeString(rules.resolve("api.yaml"), RULES.formatted("api", "allow", deadline, services));
        Files.writeString(rules.resolve("strict.yaml"), RULES.formatted("strict", "deny", deadline, services));
        return rules;
    }

    /** Writes a list in which every caller has a bad reputation. */
    static Path reputations(Path folder) throws IOException {
        return Files.writeString(folder.resolve("reputations.txt"), "192.0.2.0/24 85\n");
    }
}
