package dev.weir.control.decisions;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a Kafka topic: {@code kafka://h1:9092,h2:9092/topic}.
 *
 * @param servers {@code host:port}, joined by commas
 */
public record KafkaAddress(String servers, String topic) {
    private static final Pattern ADDRESS = Pattern.compile("kafka://([^/@]+)/([A-Za-z0-9._-]{1,249})");
    private static final Pattern SERVER = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(?::([0-9]{1,5}))?");
    private static final String EXPECTED = "expected: kafka://host:9092[,host:9092]/topic";

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if {@code text} is not one
     */
    public static KafkaAddress parse(String text) {
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            // The text may hold a password, if it was meant as another kind of address.
            throw new IllegalArgumentException("\"" + text.replaceAll("//[^/]*@", "//...@") + "\" (" + EXPECTED + ")");
        }
        List<String> servers = new ArrayList<>();
        for (String each : address.group(1).split(",", -1)) {
            Matcher server = SERVER.matcher(each);
            if (!server.matches() || (server.group(2) != null && Integer.parseInt(server.group(2)) > 65_535)) {
                throw new IllegalArgumentException("\"" + each + "\" (" + EXPECTED + ")");
            }
            servers.add(server.group(1) + ":" + (server.group(2) == null ? "9092" : server.group(2)));
        }
        return new KafkaAddress(String.join(",", servers), address.group(2));
    }
}
