package dev.weir.control.testkit;

import dev.weir.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A real broker of Kafka (KRaft, alone) as a process of its own, so that it can be killed, stopped and started again. */
public final class KafkaBroker implements AutoCloseable {
    private static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";

    private final Path folder;
    private final Path properties;
    private final int port;
    private Process process;

    /** Starts one that keeps its log in {@code folder}. */
    public KafkaBroker(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        this.port = FreePorts.free();
        int controller = FreePorts.free();
        properties = folder.resolve("server.properties");
        Files.writeString(
                properties,
                String.join(
                        "\n",
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@127.0.0.1:" + controller,
                        "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
                        "controller.listener.names=CONTROLLER",
                        "offsets.topic.replication.factor=1",
                        "auto.create.topics.enable=false",
                        "log.dirs=" + folder.resolve("log")));
        int formatted = run("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", properties.toString())
                .waitFor();
        if (formatted != 0) {
            throw new IOException("the broker's folder could not be made: " + said());
        }
        process = run("kafka.Kafka", properties.toString());
        try {
            awaitReady();
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private Process run(String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("said.txt").toFile()))
                .start();
    }

    private String said() throws IOException {
        return Files.readString(folder.resolve("said.txt"));
    }

    private void awaitReady() throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(4); // on a busy machine it took more than one
        try (Admin admin = admin()) {
            while (true) {
                try {
                    admin.describeCluster().nodes().get(1, TimeUnit.SECONDS);
                    return;
                } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
                    if (!process.isAlive() || System.nanoTime() > until) {
                        throw new IOException("the broker does not start: " + said(), e);
                    }
                }
            }
        }
    }

    private Admin admin() {
        Properties client = new Properties();
        client.setProperty("bootstrap.servers", servers());
        return Admin.create(client);
    }

    /** {@code host:port}. */
    public String servers() {
        return "127.0.0.1:" + port;
    }

    public void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(Set.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /** What is in a topic, read until {@code keyed} records with a key are there. */
    public List<ConsumerRecord<String, String>> read(String topic, int partitions, int keyed) {
        Properties client = new Properties();
        client.setProperty("bootstrap.servers", servers());
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(client, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int i = 0; i < partitions; i++) {
                all.add(new TopicPartition(topic, i));
            }
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            for (int left = keyed; left > 0 && System.nanoTime() < until; ) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(200))) {
                    read.add(each);
                    left -= each.key() == null ? 0 : 1;
                }
            }
        }
        return read;
    }

    /** Kills the process, as if the machine had gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again on the same port, with its data on disk. */
    public void restart() throws IOException, InterruptedException {
        process = run("kafka.Kafka", properties.toString());
        awaitReady();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
