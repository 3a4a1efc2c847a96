package dev.weir.testing.internal.report;

import dev.weir.testing.internal.run.PolicyResult;
import dev.weir.testing.internal.run.PolicySuite;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes results as the XML that CI systems read: a suite for each file, a case for each test. */
public final class JUnitXml {
    private JUnitXml() {}

    public static String of(List<PolicySuite> suites) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
        int tests = suites.stream().mapToInt(each -> each.results().size()).sum();
        long failed = suites.stream().mapToLong(PolicySuite::failed).sum();
        long wrong = suites.stream().filter(each -> each.file().isWrong()).count();
        double seconds = suites.stream().mapToDouble(JUnitXml::seconds).sum();
        attribute(xml, "tests", tests + wrong);
        attribute(xml, "failures", failed);
        attribute(xml, "errors", wrong);
        attribute(xml, "time", time(seconds));
        xml.append(">\n");
        suites.forEach(each -> suite(xml, each));
        return xml.append("</testsuites>\n").toString();
    }

    private static void suite(StringBuilder xml, PolicySuite suite) {
        String name = suite.file().name();
        boolean wrong = suite.file().isWrong();
        xml.append("  <testsuite");
        attribute(xml, "name", name);
        attribute(xml, "tests", suite.results().size() + (wrong ? 1 : 0));
        attribute(xml, "failures", suite.failed());
        attribute(xml, "errors", wrong ? 1 : 0);
        attribute(xml, "time", time(seconds(suite)));
        xml.append(">\n");
        if (wrong) {
            testCase(xml, name, "the file", 0, 0);
            xml.append(">\n      <error");
            List<Diagnostic> errors = suite.file().diagnostics().stream()
                    .filter(Diagnostic::isError)
                    .toList();
            attribute(xml, "message", errors.get(0).toString());
            text(xml, errors.stream().map(Diagnostic::toString).collect(Collectors.joining("\n")));
            xml.append("</error>\n    </testcase>\n");
        }
        for (PolicyResult each : suite.results()) {
            testCase(xml, name, each.test().name(), each.test().at().line(), each.nanos() / 1e9);
            if (each.passed()) {
                xml.append("/>\n");
            } else {
                xml.append(">\n      <failure");
                attribute(xml, "message", FailureText.line(each));
                text(xml, String.join("\n", FailureText.of(each)));
                xml.append("</failure>\n    </testcase>\n");
            }
        }
        xml.append("  </testsuite>\n");
    }

    private static void testCase(StringBuilder xml, String file, String name, int line, double seconds) {
        xml.append("    <testcase");
        attribute(xml, "classname", file);
        attribute(xml, "name", name);
        attribute(xml, "file", file);
        if (line > 0) {
            attribute(xml, "line", line);
        }
        attribute(xml, "time", time(seconds));
    }

    private static double seconds(PolicySuite suite) {
        return suite.results().stream().mapToLong(PolicyResult::nanos).sum() / 1e9;
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }

    private static void attribute(StringBuilder xml, String name, Object value) {
        xml.append(' ')
                .append(name)
                .append("=\"")
                .append(escaped(value.toString()))
                .append('"');
    }

    private static void text(StringBuilder xml, String text) {
        xml.append('>').append(escaped(text));
    }

    /** Escapes what XML reserves, and replaces what it cannot hold. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(each -> {
            switch (each) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\n' -> escaped.append('\n');
                default -> {
                    boolean fits =
                            each >= 0x20 && each != 0xFFFE && each != 0xFFFF && !(each >= 0xD800 && each < 0xE000);
                    escaped.appendCodePoint(fits ? each : '?');
                }
            }
        });
        return escaped.toString();
    }
}
