package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointFormTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "/login?x=1 -> /login",
                "/login#a -> /login",
                "/login?a#b?c -> /login",
                "/login/ -> /login",
                "/login/// -> /login",
                "//login -> /login",
                "//host/login -> /host/login",
                "/./login -> /login",
                "/login/. -> /login",
                "/%2e/login -> /login",
                "/a/../login -> /login",
                "/a/%2e%2E/login -> /login",
                "/a/.%2e/login -> /login",
                "/a//../login -> /login",
                "/../../login -> /login",
                "/login/.. -> /",
                "/a/..;/login -> /login",
                "/a/..;x=1/login -> /login",
                "/.;/login -> /login",
                "/login;a=b -> /login",
                "/login;a=b;c/ -> /login",
                "/;a=b/login -> /login",
                "/a;b/c;d/e -> /a/c/e",
                "/%6cogin -> /login",
                "/%6Cogin -> /login",
                "/log%2fin -> /log%2Fin",
                "/a%3bb -> /a%3Bb",
                "/a%3fb -> /a%3Fb",
                "/things%3abatch -> /things:batch",
                "/users/%40me -> /users/@me",
                "/a%2A -> /a%2A",
                "/a* -> /a%2A",
                "/%256c -> /%256c",
                "/%2%35 -> /%2525",
                "/%%34%31 -> /%2541",
                "/% -> /%25",
                "/%zz -> /%25zz",
                "/%2 -> /%252",
                "/%c0%ae -> /%C0%AE",
                "/%c0%ae%c0%ae/login -> /%C0%AE%C0%AE/login",
                "/caf\u00e9 -> /caf%C3%A9",
                "/caf%c3%a9 -> /caf%C3%A9",
                "/a b -> /a%20b",
                "/\u20ac -> /%E2%82%AC",
                "/\ud83d\ude00 -> /%F0%9F%98%80",
                "/\ud83d -> /%EF%BF%BD",
                "/a\u0000b -> /a%00b",
                "/a%00 -> /a%00",
                "\\login -> /login",
                "/a\\..\\login -> /login",
                "/a%5C..%5Clogin -> /a%5C..%5Clogin",
                "/... -> /...",
                "/.well-known/x -> /.well-known/x",
                "/..a -> /..a",
                "/Login -> /Login",
                "post /login/ -> POST /login",
                "Post  //login -> POST /login",
                "M-SEARCH /x -> M-SEARCH /x",
                "p0st /x/ -> P0ST /x",
                "http://host/login?x -> /login",
                "HTTPS://user@host:443//login/ -> /login",
                "http://host -> /",
                "http://host?x -> /",
                "GET http://host/a/../b -> GET /b",
                "options * -> OPTIONS *",
                "/ -> /",
                "// -> /",
                "/? -> /",
                "/. -> /",
                "/.. -> /",
            })
    void aPathHasOneSpelling(String given, String normal) {
        assertThat(EndpointForm.NORMAL.of(given)).isEqualTo(normal);
        assertThat(EndpointForm.RAW.of(given)).isSameAs(given);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "OPTIONS *",
                "/",
                "GET /",
                "/login",
                "POST /v1/charges/@me:go/%2F/.x/..y/a.b",
                "login",
                "login?x=1",
                "orders#create",
                "list orders/",
                "POST ",
                " /login",
                "?x",
                "host:443",
                "1http://host/x",
                "users.v1.Users/Get/",
            })
    void whatIsNormalOrNoPathStaysTheSameObject(String text) {
        assertThat(EndpointForm.NORMAL.of(text)).isSameAs(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "POST /login?x=* -> /login",
                "/api/*/ -> /api/*",
                "/%6cogin/* -> /login/*",
                "*/login/ -> */login",
                "*.php;x -> *.php",
                "* -> *",
                "POST * -> *",
                "/a%2a -> /a%2A",
                "/users/{id} -> /users/%7Bid%7D",
                "/caf\u00e9* -> /caf%C3%A9*",
            })
    void aPatternIsPutIntoTheSameFormAndKeepsItsStars(String pattern, String path) {
        assertThat(EndpointPattern.parse(pattern)
                        .in(EndpointForm.NORMAL, false)
                        .path()
                        .text())
                .isEqualTo(path);
    }

    @Test
    void aFolderWithAStarMatchesTheFolderItself() {
        EndpointPattern below = EndpointPattern.parse("/api/*").in(EndpointForm.NORMAL, false);
        assertThat(below.matches(EndpointForm.NORMAL.of("/api/"))).isTrue();
        assertThat(below.matches("GET /api")).isTrue();
        assertThat(below.matches("/api/x")).isTrue();
        assertThat(below.matches("/apix")).isFalse();
        assertThat(EndpointPattern.parse("/*").in(EndpointForm.NORMAL, false).matches("/"))
                .isTrue();
        assertThat(EndpointPattern.parse("/api/*").in(EndpointForm.RAW, false).matches("/api"))
                .isFalse();
    }

    @Test
    void letterCaseIsIgnoredInThePathAlone() {
        assertThat(EndpointForm.lowerCase("POST /Login/%C3%89")).isEqualTo("POST /login/%C3%89");
        assertThat(EndpointForm.lowerCase("/login")).isEqualTo("/login");
        EndpointPattern login = EndpointPattern.parse("POST /LOGIN").in(EndpointForm.NORMAL, true);
        assertThat(login.matches(EndpointForm.lowerCase("POST /Login"))).isTrue();
        assertThat(login.text()).isEqualTo("POST /LOGIN");
    }

    @Property(tries = 3_000)
    void theFormOfAFormIsTheForm(@ForAll("texts") String text) {
        String form = EndpointForm.NORMAL.of(text);
        assertThat(EndpointForm.NORMAL.of(form)).isSameAs(form);
        assertThat(EndpointPattern.pathOf(form)).isEqualTo(EndpointPattern.pathOf(text));
        String lower = EndpointForm.lowerCase(form);
        assertThat(EndpointForm.lowerCase(lower)).isSameAs(lower);
        assertThat(EndpointForm.NORMAL.of(lower)).isSameAs(lower);
    }

    @Property(tries = 1_000)
    void everySpellingOfAPathHasItsForm(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder path = new StringBuilder();
        StringBuilder spelling = new StringBuilder();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            slash(random, spelling);
            path.append('/');
            for (int j = 1 + random.nextInt(5); j > 0; j--) {
                String character = CHARACTERS[random.nextInt(CHARACTERS.length)];
                path.append(character);
                spelling.append(random.nextInt(3) == 0 ? escaped(character, random) : character);
            }
            spelling.append(random.nextInt(3) == 0 ? ";v=%2e/".substring(0, 1 + random.nextInt(6)) : "");
        }
        spelling.append(random.nextBoolean() ? "/" : "");
        spelling.append(random.nextInt(3) == 0 ? "?a=/../" : "").append(random.nextInt(3) == 0 ? "#/x" : "");
        String spelled = random.nextInt(4) == 0 ? "http://host:80" + spelling : spelling.toString();
        assertThat(EndpointForm.NORMAL.of(spelled)).as(spelled).isEqualTo(EndpointForm.NORMAL.of(path.toString()));
        assertThat(EndpointForm.NORMAL.of("pOsT " + spelled))
                .isEqualTo("POST " + EndpointForm.NORMAL.of(path.toString()));
    }

    private static final String[] CHARACTERS = {
        "a", "Z", "0", "-", "_", "~", "b.", "!", "$", "&", "'", "(", ")", "+", ",", "=", ":", "@", "\u00e9", " ", "|"
    };

    private static void slash(Random random, StringBuilder into) {
        switch (random.nextInt(6)) {
            case 0 -> into.append("//");
            case 1 -> into.append("/./");
            case 2 -> into.append("/%2E;a/");
            case 3 -> into.append("/x/%2e./");
            case 4 -> into.append("/x;y/..;z=1/");
            default -> into.append(random.nextBoolean() ? "/" : "\\");
        }
    }

    private static String escaped(String character, Random random) {
        StringBuilder escaped = new StringBuilder();
        for (byte each : character.getBytes(StandardCharsets.UTF_8)) {
            escaped.append(String.format(random.nextBoolean() ? "%%%02x" : "%%%02X", each));
        }
        return escaped.toString();
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> special = Arbitraries.of(
                "/", "//", "\\", ".", "..", "%", "%2", "%2e", "%2F", "%25", "%41", ";", "?", "#", "*", " ", "POST ",
                "get ", "http://", ":", "a", "Z", "e", "\u00e9", "\ud83d", "\ude00", "\u0000", "4", "1");
        return Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(9, special),
                        net.jqwik.api.Tuple.of(1, Arbitraries.strings().ofMaxLength(3)))
                .list()
                .ofMaxSize(14)
                .map(parts -> String.join("", parts));
    }

    @Test
    void aLongPathTakesLinearTime() {
        // Quadratic time would take minutes for a million dots.
        String up = "/a".repeat(500_000) + "/..".repeat(499_999);
        assertThat(EndpointForm.NORMAL.of(up)).isEqualTo("/a");
        assertThat(EndpointForm.NORMAL.of("/..".repeat(500_000))).isEqualTo("/");
        assertThat(EndpointForm.NORMAL.of("/" + "%41".repeat(500_000))).hasSize(500_001);
    }
}
