package dev.weir.testing.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.testing.internal.policy.PolicyFileReader;
import dev.weir.testing.internal.run.PolicySuite;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Results as XML, read by a parser. */
class JUnitXmlTest {
    private static final String TESTS = """
        rules:
          - { name: 'a<b&"c"', limit: { requests: 1, window: 1m } }
        tests:
          - name: passes
            steps: [{ ask: { user_id: u }, expect: allowed }]
          - name: "fails with <&' and \\x01"
            steps: [{ ask: { user_id: u }, times: 2, expect: allowed }]
        """;

    @Test
    void failuresAndErrorsAreToldApart() throws Exception {
        Element root = parsed(List.of(suite("a.test.yaml", TESTS), suite("b.test.yaml", "tests: 1")));
        assertThat(root.getAttribute("tests")).isEqualTo("3");
        assertThat(root.getAttribute("failures")).isEqualTo("1");
        assertThat(root.getAttribute("errors")).isEqualTo("1");
        Element failure = (Element) root.getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).isEqualTo("expected: allowed 2; happened: allowed 1, denied 1");
        assertThat(failure.getTextContent()).contains("a.test.yaml:7:", "denied by a<b&\"c\" (1 per 1m");
        Element failed = (Element) failure.getParentNode();
        assertThat(failed.getAttribute("name")).isEqualTo("fails with <&' and ?");
        assertThat(failed.getAttribute("line")).isEqualTo("6");
        Element error = (Element) root.getElementsByTagName("error").item(0);
        assertThat(error.getAttribute("message")).startsWith("b.test.yaml:1:");
    }

    private static PolicySuite suite(String name, String text) {
        return PolicySuite.run(PolicyFileReader.read(
                name, text.getBytes(StandardCharsets.UTF_8), Path.of("nowhere", name), LoadOptions.DEFAULT));
    }

    private static Element parsed(List<PolicySuite> suites) throws Exception {
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(JUnitXml.of(suites).getBytes(StandardCharsets.UTF_8)));
        return document.getDocumentElement();
    }
}
