package dev.weir.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/** How a test waits that does not say otherwise: it looks often, and gives a machine that does much else its time. JUnit finds it. */
public final class Patience implements TestExecutionListener {
    @Override
    public void testPlanExecutionStarted(TestPlan tests) {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }
}
