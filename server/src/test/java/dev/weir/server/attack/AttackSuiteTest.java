package dev.weir.server.attack;

/** The attacks against a heap of 256 MiB, in the size that every build can afford. */
class AttackSuiteTest extends AttackSuite {
    AttackSuiteTest() {
        super("256m", 1);
    }
}
