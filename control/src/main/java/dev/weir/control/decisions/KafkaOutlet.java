package dev.weir.control.decisions;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends lines to a Kafka topic, keyed by their counter: the lines of one counter stay in order. The producer has a
 * bounded buffer of its own and never blocks the sink. Lines that do not fit or are not delivered in time are dropped
 * and counted.
 */
final class KafkaOutlet implements Outlet {
    private static final System.Logger LOG = System.getLogger(KafkaOutlet.class.getName());
    private static final long BUFFER_BYTES = 16 << 20;
    private static final long FIRST_METADATA_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final DecisionSinkSettings.Kafka settings;
    private final Properties properties;
    private final LongAdder written = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private @Nullable KafkaProducer<byte[], byte[]> producer;
    private long tryAt = System.nanoTime();
    private volatile boolean failing;

    /**
     * Creates an outlet that connects when there is something to write.
     *
     * @throws IllegalArgumentException if the producer's properties are invalid
     */
    KafkaOutlet(DecisionSinkSettings.Kafka settings, String node) {
        this.settings = settings;
        this.properties = properties(settings, node);
        // Fail now if the properties are invalid, while the server starts; this needs no network.
        try {
            var unused = new ProducerConfig(properties);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Properties properties(DecisionSinkSettings.Kafka settings, String node) {
        Properties all = new Properties();
        all.setProperty(ProducerConfig.CLIENT_ID_CONFIG, "weir-" + node);
        all.setProperty(ProducerConfig.BUFFER_MEMORY_CONFIG, String.valueOf(BUFFER_BYTES));
        all.setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
        all.setProperty(ProducerConfig.LINGER_MS_CONFIG, "50");
        all.setProperty(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000");
        all.setProperty(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "30000");
        all.setProperty(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "10000");
        all.setProperty(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, "false");
        // Keep the metadata of an idle topic, so that the first line after a pause is not lost while it is looked up.
        all.setProperty(ProducerConfig.METADATA_MAX_IDLE_CONFIG, String.valueOf(TimeUnit.DAYS.toMillis(30)));
        settings.properties().forEach(all::setProperty);
        all.setProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.servers());
        all.setProperty(ProducerConfig.ACKS_CONFIG, settings.acks());
        all.setProperty(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        all.setProperty(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        all.setProperty(ProducerConfig.MAX_BLOCK_MS_CONFIG, "0");
        return all;
    }

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public void write(DecisionLine line) {
        KafkaProducer<byte[], byte[]> open = producer == null ? open() : producer;
        if (open == null) {
            dropped.increment();
            return;
        }
        String counter = line.counter();
        byte[] key = counter == null ? null : counter.getBytes(StandardCharsets.UTF_8);
        try {
            var unused = open.send(new ProducerRecord<>(settings.topic(), key, line.json()), (at, failure) -> {
                if (failure == null) {
                    delivered();
                } else {
                    failed(failure);
                }
            });
        } catch (KafkaException | IllegalStateException e) {
            failed(e);
        }
    }

    private @Nullable KafkaProducer<byte[], byte[]> open() {
        if (System.nanoTime() - tryAt < 0) {
            return null;
        }
        try {
            KafkaProducer<byte[], byte[]> opened = new KafkaProducer<>(properties);
            producer = opened;
            awaitTopic(opened);
            return opened;
        } catch (KafkaException e) {
            // Mostly a host name that DNS does not know yet.
            logFailure(e);
            tryAt = System.nanoTime() + RETRY_NANOS;
            return null;
        }
    }

    /**
     * Waits until the producer knows the topic's partitions, because it would refuse lines before that. The ring keeps
     * new lines meanwhile.
     */
    private void awaitTopic(KafkaProducer<byte[], byte[]> opened) {
        long until = System.nanoTime() + FIRST_METADATA_NANOS;
        while (System.nanoTime() - until < 0 && !knowsTopic(opened)) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean knowsTopic(KafkaProducer<byte[], byte[]> opened) {
        try {
            return !opened.partitionsFor(settings.topic()).isEmpty();
        } catch (KafkaException e) {
            return false;
        }
    }

    private void delivered() {
        written.increment();
        if (failing) {
            failing = false;
            LOG.log(System.Logger.Level.INFO, "decisions are again delivered to " + settings);
        }
    }

    private void failed(Exception failure) {
        dropped.increment();
        logFailure(failure);
    }

    private void logFailure(Exception failure) {
        if (!failing) {
            failing = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "decisions cannot be delivered to " + settings + " and are dropped: " + failure.getMessage());
        }
    }

    @Override
    public void pause() {
        // The producer sends by itself.
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public long dropped() {
        return dropped.sum();
    }

    @Override
    public void close() {
        KafkaProducer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            open.close(CLOSING);
        }
    }
}
