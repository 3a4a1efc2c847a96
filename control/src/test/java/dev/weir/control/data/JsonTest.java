package dev.weir.control.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void everyCharacterComesBackThroughYamlAndStaysOnOneLine() {
        String every = IntStream.rangeClosed(0, 0x1ffff)
                .filter(each -> each < Character.MIN_SURROGATE || each > Character.MAX_SURROGATE)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        String json = Json.text(out -> {
            out.writeStartObject();
            out.writeStringField("every", every);
            out.writeEndObject();
        });
        assertThat(json.matches(".*")).as("one line, whoever splits it").isTrue();
        assertThat(json.indexOf('\u00e4')).as("letters stay letters").isPositive();
        DiagnosticCollector problems = new DiagnosticCollector("json");
        Mapping read = (Mapping) YamlReader.read(json.getBytes(StandardCharsets.UTF_8), problems);
        assertThat(problems.all()).isEmpty();
        Scalar value =
                (Scalar) Objects.requireNonNull(Objects.requireNonNull(read).entry("every"))
                        .value();
        assertThat(value.text().equals(every)).isTrue();
    }
}
