package dev.weir.server.attack;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The attacks on protocols with more connections against a heap of 2 GiB: {@code -Dweir.attack.long=true}. */
@EnabledIfSystemProperty(named = "weir.attack.long", matches = "true")
class LongProtocolAttackSuiteTest extends ProtocolAttackSuite {
    LongProtocolAttackSuiteTest() {
        super("2g", 2);
    }
}
