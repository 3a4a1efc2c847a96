package dev.weir.server.attack;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The attacks on features with more connections against a heap of 2 GiB: {@code -Dweir.attack.long=true}. */
@EnabledIfSystemProperty(named = "weir.attack.long", matches = "true")
class LongFeatureAttackSuiteTest extends FeatureAttackSuite {
    LongFeatureAttackSuiteTest() {
        super("2g", 2);
    }
}
