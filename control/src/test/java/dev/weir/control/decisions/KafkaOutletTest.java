package dev.weir.control.decisions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.control.testkit.KafkaBroker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaOutletTest {
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private static KafkaOutlet outlet(String servers, String acks, Map<String, String> properties) {
        return new KafkaOutlet(new DecisionSinkSettings.Kafka(servers, "decisions", acks, properties), "node-1");
    }

    private static DecisionLine line(@Nullable String counter, int number) {
        return new DecisionLine(("{\"n\":" + number + "}").getBytes(StandardCharsets.UTF_8), counter);
    }

    @Test
    void aRealBrokerGetsEveryLineKeyedByItsCounterAndItsLossIsCountedAndMended() throws Exception {
        try (KafkaBroker broker = new KafkaBroker(folder)) {
            broker.createTopic("decisions", PARTITIONS);
            // Sends first to a broker that has just started; losses on a busy machine are not what is tested.
            KafkaOutlet impatient =
                    outlet(broker.servers(), "all", Map.of("request.timeout.ms", "500", "delivery.timeout.ms", "1000"));
            AtomicInteger tries = new AtomicInteger();
            await().atMost(PATIENCE).until(() -> {
                impatient.write(line(null, tries.incrementAndGet()));
                return impatient.written() > 0;
            });
            await().atMost(PATIENCE).until(() -> impatient.written() + impatient.dropped() == tries.get());

            KafkaOutlet outlet = outlet(broker.servers(), "all", Map.of());
            for (int i = 0; i < 1_000; i++) {
                outlet.write(line("counter-" + i % 10, i));
            }
            await().atMost(PATIENCE).until(() -> outlet.written() == 1_000);
            assertThat(outlet.dropped()).isZero();
            outlet.close();

            // A line of the first outlet may have arrived although it was given up.
            List<ConsumerRecord<String, String>> read = new ArrayList<>(broker.read("decisions", PARTITIONS, 1_000));
            read.removeIf(each -> each.key() == null);
            assertThat(read).hasSize(1_000);
            Map<String, Integer> partitions = new HashMap<>();
            Map<String, Integer> last = new HashMap<>();
            for (ConsumerRecord<String, String> each : read) {
                int number = Integer.parseInt(each.value().replaceAll("\\D", ""));
                assertThat(each.key()).isEqualTo("counter-" + number % 10);
                assertThat(partitions.merge(each.key(), each.partition(), (a, b) -> b))
                        .isEqualTo(each.partition());
                Integer before = last.put(each.key(), number);
                assertThat(before == null || before < number).isTrue();
            }

            broker.kill();
            long written = impatient.written();
            long dropped = impatient.dropped();
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            threads.setThreadContentionMonitoringEnabled(true);
            long held = heldUpMillis(threads);
            for (int i = 0; i < 1_000; i++) {
                impatient.write(line("counter-1", i));
            }
            assertThat(heldUpMillis(threads) - held)
                    .as("how long the writer waited for anybody, in ms")
                    .isLessThan(1_000);
            await().atMost(PATIENCE).until(() -> impatient.dropped() == dropped + 1_000);

            broker.restart();
            await().atMost(PATIENCE).until(() -> {
                impatient.write(line("counter-1", 1));
                return impatient.written() > written;
            });
            impatient.close();
        }
    }

    /** How long this thread has waited for locks and conditions; what it waited for a processor is not in it. */
    private static long heldUpMillis(ThreadMXBean threads) {
        ThreadInfo own = threads.getThreadInfo(Thread.currentThread().getId());
        return own.getBlockedTime() + own.getWaitedTime();
    }

    @Test
    void aBrokerThatWasNeverThereCostsTheLinesAndNoTime() {
        KafkaOutlet outlet = outlet("127.0.0.1:1", "1", Map.of("buffer.memory", "65536"));
        outlet.write(line(null, 0)); // looks for the topic, once
        long fastest = Long.MAX_VALUE; // a busy machine takes some of them from us, but not all
        for (int round = 0; round < 10; round++) {
            long began = System.nanoTime();
            for (int i = 0; i < 1_000; i++) {
                outlet.write(line("counter", i));
            }
            fastest = Math.min(fastest, System.nanoTime() - began);
        }
        assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofMillis(500));
        assertThat(outlet.dropped()).isEqualTo(10_001);
        assertThat(outlet.written()).isZero();
        outlet.close();
    }

    @Test
    void anUnknownHostNameDoesNotPreventAStart() {
        KafkaOutlet outlet = outlet("kafka.invalid:9092", "all", Map.of());
        outlet.write(line("counter", 1));

        assertThat(outlet.dropped()).isEqualTo(1);
        outlet.close();
    }

    @Test
    void invalidPropertiesFailAtTheStart() {
        assertThatThrownBy(() -> outlet("127.0.0.1:1", "all", Map.of("linger.ms", "soon")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("linger.ms");
    }

    @Test
    void addresses() {
        assertThat(KafkaAddress.parse("kafka://a,b:9093/weir.decisions"))
                .isEqualTo(new KafkaAddress("a:9092,b:9093", "weir.decisions"));
        assertThat(KafkaAddress.parse("kafka://[::1]:9092/t").servers()).isEqualTo("[::1]:9092");
        assertThatThrownBy(() -> KafkaAddress.parse("kafka://user:secret@a/t"))
                .hasMessageContaining("expected: kafka://host:9092")
                .hasMessageNotContaining("secret");
        for (String wrong :
                List.of("a:9092/t", "kafka://a", "kafka://a/", "kafka://a/b/c", "kafka://a:99999/t", "kafka://,/t")) {
            assertThatThrownBy(() -> KafkaAddress.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
