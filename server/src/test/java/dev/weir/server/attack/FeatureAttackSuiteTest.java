package dev.weir.server.attack;

/** The attacks on features against a heap of 256 MiB, in the size that every build can afford. */
class FeatureAttackSuiteTest extends FeatureAttackSuite {
    FeatureAttackSuiteTest() {
        super("256m", 1);
    }
}
