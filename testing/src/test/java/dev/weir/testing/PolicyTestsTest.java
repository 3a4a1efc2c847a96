package dev.weir.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** Test files as tests of JUnit. */
class PolicyTestsTest {
    private static final String FILE = """
        key_by: user_id
        rules:
          - name: all
            limit: { requests: 5, window: 1m }
        tests:
          - name: %s
            steps:
              - ask: { user_id: u1 }
                times: 6
                expect: %s
        """;

    @TempDir
    Path folder;

    @Test
    void everyTestOfAFileIsATest() throws Throwable {
        Files.writeString(folder.resolve("good.test.yaml"), FILE.formatted("five", "{ allowed: 5, denied: 1 }"));
        Files.writeString(folder.resolve("not-a-test.yaml"), "anything");
        List<DynamicNode> files = PolicyTests.in(folder).toList();
        assertThat(files).hasSize(1);
        DynamicTest test = tests(files.get(0)).get(0);
        assertThat(test.getDisplayName()).isEqualTo("five");
        assertThat(test.getTestSourceUri().orElseThrow().toString()).endsWith("good.test.yaml?line=6");
        test.getExecutable().execute();
    }

    @Test
    void aTestThatFailsExplainsItself() throws Exception {
        Files.writeString(folder.resolve("bad.test.yaml"), FILE.formatted("six", "allowed"));
        DynamicTest test = tests(PolicyTests.in(folder).toList().get(0)).get(0);
        assertThatThrownBy(() -> test.getExecutable().execute())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContainingAll(
                        "bad.test.yaml:10:17: six",
                        "expected: allowed 6",
                        "happened: allowed 5, denied 1",
                        "denied by all (5 per 1m, token_bucket) for user_id=u1");
    }

    @Test
    void aFileWithMistakesIsATestThatFails() throws Exception {
        Files.writeString(folder.resolve("wrong.test.yaml"), FILE.formatted("five", "alowed"));
        DynamicTest test = (DynamicTest) PolicyTests.in(folder).toList().get(0);
        assertThatThrownBy(() -> test.getExecutable().execute())
                .hasMessageContaining("wrong.test.yaml:10:17: expect: 'alowed' (did you mean allowed?)");
    }

    @Test
    void aFolderWithoutTestsIsAMistake() {
        assertThatThrownBy(() -> PolicyTests.in(folder))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no *.test.yaml in this folder");
    }

    private static List<DynamicTest> tests(DynamicNode file) {
        return ((DynamicContainer) file)
                .getChildren()
                .map(DynamicTest.class::cast)
                .toList();
    }
}
