package dev.weir.control.xds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.weir.Request;
import dev.weir.control.xds.proto.RateLimitConfig;
import dev.weir.control.xds.proto.RateLimitDescriptor;
import dev.weir.control.xds.proto.RateLimitPolicy;
import dev.weir.control.xds.proto.RateLimitReplace;
import dev.weir.control.xds.proto.RateLimitUnit;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.rules.internal.grammar.EnvoyUnit;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A message means the same as a file with the same fields. */
class EnvoyYamlWriterTest {

    @Test
    void everyFieldArrives() {
        RateLimitPolicy policy = RateLimitPolicy.newBuilder()
                .setUnit(RateLimitUnit.HOUR)
                .setRequestsPerUnit(-1) // the largest that there is
                .setName("mine")
                .addReplaces(RateLimitReplace.newBuilder().setName("other"))
                .build();
        Rule rule = only(RateLimitDescriptor.newBuilder()
                .setKey("user")
                .setValue("a*")
                .setShadowMode(true)
                .setQuotaMode(true)
                .setMetadata(Struct.newBuilder()
                        .putFields("flag", value().setBoolValue(true).build())
                        .putFields("text", value().setStringValue("true").build())
                        .putFields("number", value().setNumberValue(1e21).build())
                        .putFields(
                                "none",
                                value().setNullValue(NullValue.NULL_VALUE).build())
                        .putFields(
                                "list",
                                value().setListValue(ListValue.newBuilder().addValues(value().setNumberValue(1.5)))
                                        .build()))
                .setRateLimit(policy)
                .build());
        assertThat(Objects.requireNonNull(rule.limit()).requests()).isEqualTo(4_294_967_295L);
        assertThat(rule.limit().windowMicros()).isEqualTo(EnvoyUnit.HOUR.micros());
        assertThat(rule.name()).isEqualTo("mine");
        assertThat(rule.replaces()).containsExactly("other");
        assertThat(rule.shadow()).isTrue();
        assertThat(rule.quota()).isTrue();
        assertThat(rule.countsDenied()).isTrue();
        assertThat((Map<?, ?>) rule.metadata())
                .isEqualTo(Map.of("flag", true, "text", "true", "number", 1e21, "list", List.of(1.5)));
    }

    @ParameterizedTest
    @EnumSource(
            value = RateLimitUnit.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNKNOWN", "UNRECOGNIZED"})
    void unitsAreThoseOfFiles(RateLimitUnit unit) {
        Rule rule = only(descriptor("k", RateLimitPolicy.newBuilder().setUnit(unit)));
        assertThat(Objects.requireNonNull(rule.limit()).windowMicros())
                .isEqualTo(EnvoyUnit.valueOf(unit.name()).micros());
        assertThat(rule.limit().requests()).isZero();
    }

    @Test
    void unlimitedNeedsNoUnitAndMayHaveNone() {
        RateLimitPolicy.Builder unlimited = RateLimitPolicy.newBuilder().setUnlimited(true);
        assertThat(only(descriptor("k", unlimited)).limit()).isNull();
        assertThat(only(descriptor("k", unlimited.setUnitValue(99))).limit()).isNull();
        assertThat(errors(descriptor("k", unlimited.setUnit(RateLimitUnit.DAY))))
                .containsExactly("xds:c:descriptors[0].rate_limit.unit: unit beside unlimited (remove one of them)");
    }

    @Test
    void anUnknownUnitIsAnError() {
        assertThat(errors(descriptor("k", RateLimitPolicy.newBuilder().setUnitValue(99))))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("xds:c:descriptors[0].rate_limit.unit: unknown unit '99'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "\\",
                "a # b",
                ": ",
                "- x",
                "\n",
                "\r\n",
                "\t",
                "\u0000",
                "\u0085",
                "\u2028",
                "\ufeff",
                "\ufffe",
                "é",
                "日本",
                "😀",
                "\u202eRTL",
                "~",
                "null",
                "{a: b}",
                "&x",
                "!!int 1",
                " lead",
                "trail "
            })
    void everyTextArrivesAsItIs(String text) {
        RateLimitConfig config = RateLimitConfig.newBuilder()
                .setName("c")
                .setDomain("d" + text)
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .setKey("k" + text)
                        .setValue("v" + text)
                        .setRateLimit(RateLimitPolicy.newBuilder()
                                .setUnit(RateLimitUnit.DAY)
                                .setName("n" + text)))
                .build();
        RuleIndex rules = RuleIndex.of(load(config).orThrow());
        assertThat(rules.domains()).containsExactly("d" + text);
        assertThat(rules.rules().get(0).name()).isEqualTo("n" + text);
        Matches matches = new Matches();
        rules.match(Request.to("d" + text).descriptor().with("k" + text, "v" + text), matches);
        assertThat(matches.size()).isEqualTo(1);
    }

    private static Value.Builder value() {
        return Value.newBuilder();
    }

    private static RateLimitDescriptor descriptor(String key, RateLimitPolicy.Builder policy) {
        return RateLimitDescriptor.newBuilder().setKey(key).setRateLimit(policy).build();
    }

    private static Rule only(RateLimitDescriptor descriptor) {
        return load(config(descriptor)).orThrow().rules().get(0);
    }

    private static List<String> errors(RateLimitDescriptor descriptor) {
        return load(config(descriptor)).errors().stream()
                .map(Diagnostic::toString)
                .toList();
    }

    private static RateLimitConfig config(RateLimitDescriptor descriptor) {
        return RateLimitConfig.newBuilder()
                .setName("c")
                .setDomain("d")
                .addDescriptors(descriptor)
                .build();
    }

    private static LoadResult load(RateLimitConfig config) {
        return RuleLoader.load(List.of(EnvoyYamlWriter.of(config)), LoadOptions.DEFAULT);
    }
}
