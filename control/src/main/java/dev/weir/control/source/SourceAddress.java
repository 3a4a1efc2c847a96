package dev.weir.control.source;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where rules come from over a network. */
public sealed interface SourceAddress {

    /** What messages, metrics and the rules themselves call it. */
    String label();

    /** The servers, any of which will do. */
    List<Host> hosts();

    boolean tls();

    /** A server; an address of IPv6 without its brackets. */
    record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
        }
    }

    /**
     * Every key below a prefix of an etcd.
     *
     * @param prefix begins with a slash and ends without one
     * @param user null where the address names none
     */
    record Etcd(
            List<Host> hosts,
            String prefix,
            boolean tls,
            @Nullable String user,
            @Nullable String password) implements SourceAddress {
        public Etcd {
            hosts = List.copyOf(hosts);
        }

        @Override
        public String label() {
            return "etcd:" + prefix;
        }

        /** Never the password. */
        @Override
        public String toString() {
            return label();
        }
    }

    /** A server of xDS. */
    record Xds(Host host, boolean tls) implements SourceAddress {
        @Override
        public String label() {
            return "xds:" + host;
        }

        @Override
        public List<Host> hosts() {
            return List.of(host);
        }
    }

    /** Whether {@code text} is meant as an address, and not as the name of a file. */
    static boolean isOne(String text) {
        return text.matches("(?s)[a-z]+://.*");
    }

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException saying what was expected; it does not repeat the text, which may hold a password
     */
    static SourceAddress parse(String text) {
        String rest = text.substring(text.indexOf("://") + 3);
        return switch (text.substring(0, text.indexOf("://"))) {
            case "etcd" -> etcd(rest, false);
            case "etcds" -> etcd(rest, true);
            case "xds" -> xds(rest, false);
            case "xdss" -> xds(rest, true);
            default ->
                throw new IllegalArgumentException(
                        "no such source of rules (expected: a path, etcd://host:port/prefix or xds://host:port;"
                                + " etcds and xdss speak TLS)");
        };
    }

    private static Etcd etcd(String rest, boolean tls) {
        String expected = "expected: etcd://host:port,host:port/prefix";
        int slash = rest.indexOf('/');
        String prefix = slash < 0 ? "" : rest.substring(slash).replaceAll("/+$", "");
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("no prefix, below which every key is a document (" + expected + ")");
        }
        String authority = rest.substring(0, slash);
        int at = authority.lastIndexOf('@');
        String[] who = at < 0 ? new String[0] : authority.substring(0, at).split(":", 2);
        List<Host> hosts = new ArrayList<>();
        for (String each : authority.substring(at + 1).split(",", -1)) {
            hosts.add(host(each, expected));
        }
        return new Etcd(
                hosts, prefix, tls, who.length > 0 ? decoded(who[0]) : null, who.length > 1 ? decoded(who[1]) : null);
    }

    private static Xds xds(String rest, boolean tls) {
        return new Xds(host(rest.replaceAll("/$", ""), "expected: xds://host:port"), tls);
    }

    private static Host host(String text, String expected) {
        int colon = text.lastIndexOf(':');
        String name = colon < 0 ? "" : text.substring(0, colon);
        String bare = name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
        String port = text.substring(colon + 1);
        if (!bare.matches("[A-Za-z0-9_.:%-]+") || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("no host and port (" + expected + ")");
        }
        return new Host(bare, Integer.parseInt(port));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
