package dev.weir.server.attack;

/** The attacks on protocols against a heap of 256 MiB. */
class ProtocolAttackSuiteTest extends ProtocolAttackSuite {
    ProtocolAttackSuiteTest() {
        super("256m", 1);
    }
}
