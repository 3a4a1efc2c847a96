package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.server.lifecycle.StartException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of banned addresses in files. */
class BanListServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private Path rules;

    @BeforeEach
    void rules() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules: [{ name: all, limit: { requests: 1000000, window: 1h } }]
                """);
    }

    @Test
    void aListIsFollowedAndOneWithAnErrorLeavesTheLastGoodOne() throws Exception {
        Path list = Files.writeString(folder.resolve("bad.txt"), """
                # spammers
                192.0.2.0/24   ; a block

                2001:db8::1
                """);
        Path friends = Files.writeString(folder.resolve("friends.txt"), "192.0.2.7\n");
        try (RunningServer server = RunningServer.with(rules, "ban_lists", list + ", allow:" + friends)) {
            assertThat(check(server, "192.0.2.1")).isEqualTo(403);
            assertThat(check(server, "192.0.2.7")).isEqualTo(200);
            assertThat(check(server, "2001:db8::1")).isEqualTo(403);
            assertThat(check(server, "198.51.100.1")).isEqualTo(200);
            assertThat(server.http.get("/metrics").body()).contains("ratelimit_ban_list_entries 3.0");
            Files.writeString(list, "192.0.2.0/24\n198.51.100.0/24\n");
            await().atMost(LONG).until(() -> check(server, "198.51.100.1") == 403);
            assertThat(check(server, "2001:db8::1")).isEqualTo(200);
            Files.writeString(list, "203.0.113.1\n198.51.100.0/33\n");
            await().atMost(LONG)
                    .until(() -> server.http.get("/metrics").body().contains("ratelimit_ban_lists_current 0.0"));
            assertThat(check(server, "198.51.100.1")).isEqualTo(403);
            assertThat(check(server, "203.0.113.1")).isEqualTo(200);
        }
    }

    @Test
    void aServerDoesNotStartWithAWrongLineAndNamesIt() throws Exception {
        Path list = Files.writeString(folder.resolve("bad.txt"), "192.0.2.1\n# ok\nnot-an-address\n");
        assertThatThrownBy(() -> RunningServer.with(rules, "ban_lists", list.toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("bad.txt:3: 'not-an-address' (expected: an address or a block");
        assertThatThrownBy(() -> RunningServer.with(
                        rules, "ban_lists", folder.resolve("nowhere").toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void aLineIsReadUpToItsCommentHoweverLongThatIs() throws Exception {
        Path list = Files.writeString(
                folder.resolve("bad.txt"),
                "192.0.2.1 # " + "x".repeat(100_000) + "\r\n" + " ".repeat(5_000) + "\n192.0.2.3");
        try (RunningServer server = RunningServer.with(rules, "ban_lists", list.toString())) {
            assertThat(check(server, "192.0.2.1")).isEqualTo(403);
            assertThat(check(server, "192.0.2.3")).isEqualTo(403);
        }
        Files.writeString(list, "192.0.2.1\n" + "1".repeat(5_000_000) + "\n");
        assertThatThrownBy(() -> RunningServer.with(rules, "ban_lists", list.toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("bad.txt:2: '1111")
                .hasMessageContaining("(expected: an address or a block")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(2_000));
    }

    @Test
    void aMillionLinesAreReadAndOneMoreIsRefused() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1_000_000; i++) {
            lines.append(1 + (i >>> 19)).append('.').append(i >>> 11 & 0xff).append('.');
            lines.append(i >>> 3 & 0xff).append('.').append((i & 7) * 2).append('\n');
        }
        Path list = Files.writeString(folder.resolve("many.txt"), lines);
        try (RunningServer server = RunningServer.with(rules, "ban_lists", list.toString())) {
            assertThat(check(server, "1.0.0.2")).isEqualTo(403);
            assertThat(check(server, "1.0.0.3")).isEqualTo(200);
            assertThat(check(server, "2.2.3.4")).isEqualTo(403);
        }
        Files.writeString(list, lines.append("10.0.0.1\n"));
        assertThatThrownBy(() -> RunningServer.with(rules, "ban_lists", list.toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("more than 1000000 lines");
    }

    /** Its first line is good, and the other one has a hundred megabytes. */
    @Test
    void aHundredMegabytesAreReadAndNamedAndMoreAreRefused() throws Exception {
        Path list = Files.writeString(folder.resolve("large.txt"), "192.0.2.1\n");
        try (RunningServer server = RunningServer.with(rules, "ban_lists", list.toString());
                RandomAccessFile file = new RandomAccessFile(list.toFile(), "rw")) {
            assertThat(check(server, "192.0.2.1")).isEqualTo(403);
            file.setLength(100 << 20);
            assertThatThrownBy(() -> RunningServer.with(rules, "ban_lists", list.toString()))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("large.txt:2: ")
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(10_000));
            file.setLength((100 << 20) + 1);
            assertThatThrownBy(() -> RunningServer.with(rules, "ban_lists", list.toString()))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("large.txt: more than 100 MB");
            assertThat(check(server, "192.0.2.1"))
                    .as("the last good list stays")
                    .isEqualTo(403);
        }
    }

    private static int check(RunningServer server, String ip) throws Exception {
        return server.http
                .post("/v1/ratelimit/check", "{\"domain\":\"api\",\"ip\":\"" + ip + "\"}")
                .statusCode();
    }
}
