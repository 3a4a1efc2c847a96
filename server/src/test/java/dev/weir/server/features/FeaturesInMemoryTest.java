package dev.weir.server.features;

import dev.weir.server.RunningServer;
import org.junit.jupiter.api.BeforeAll;

/** {@link FeatureContract} on one server with counters in memory. */
class FeaturesInMemoryTest extends FeatureContract {
    @BeforeAll
    static void start() throws Exception {
        server = RunningServer.with(
                FeatureRules.in(folder, "5s"),
                "data",
                folder.resolve("data").toString(),
                "reputation_lists",
                FeatureRules.reputations(folder).toString());
    }
}
