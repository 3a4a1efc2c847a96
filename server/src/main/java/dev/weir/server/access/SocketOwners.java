package dev.weir.server.access;

import io.netty.util.NetUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Tells which user owns the other end of a connection over loopback, from Linux's tables of sockets ({@code
 * /proc/net/tcp}). Nothing that a caller sends can change the answer. Systems without these tables do not tell, and
 * every peer counts as the server's own user there.
 *
 * <p>Only established sockets count: the kernel lists a socket that its process has closed as root's.
 */
final class SocketOwners {
    private static final List<String> TABLES = List.of("net/tcp", "net/tcp6");
    private static final String ESTABLISHED = "01";
    private static final int ROOT = 0;
    private static final int STATE_COLUMN = 3;
    private static final int USER_COLUMN = 7;

    private final Path proc;
    private final int ownUser;

    /** Reads the tables below {@code proc}; {@code ownUser} is the id of the user that runs this process. */
    SocketOwners(Path proc, int ownUser) {
        this.proc = proc;
        this.ownUser = ownUser;
    }

    /** The tables of this system. */
    static SocketOwners ofSystem() {
        Path proc = Path.of("/proc");
        try {
            return new SocketOwners(proc, (Integer) Files.getAttribute(proc.resolve("self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return new SocketOwners(proc, ROOT);
        }
    }

    /** The two ends of a connection: the socket whose owner is asked for, and the one that it is connected to. */
    record Ends(String address, int port, String to, int toPort) {
        /** The columns of both ends as a table shows them. */
        private String columns() {
            return endpoint(address, port) + " " + endpoint(to, toPort);
        }

        /** The same in the table of IPv6, where a socket for both families is listed. */
        private String mappedColumns() {
            return mapped(endpoint(address, port)) + " " + mapped(endpoint(to, toPort));
        }
    }

    /** Those of {@code asked} whose socket is of the own user or of root; reads each table at most once. */
    Set<Ends> own(Collection<Ends> asked) {
        Map<String, Ends> byColumns = new HashMap<>();
        for (Ends each : asked) {
            byColumns.put(each.columns(), each);
            byColumns.put(each.mappedColumns(), each);
        }
        Set<Ends> found = new HashSet<>();
        Set<Ends> own = new HashSet<>();
        boolean told = false;
        for (String each : TABLES) {
            try (BufferedReader table = Files.newBufferedReader(proc.resolve(each), StandardCharsets.US_ASCII)) {
                told = true;
                String line;
                // Most tables need not be read to their end.
                while (found.size() < asked.size() && (line = table.readLine()) != null) {
                    Ends ends = byColumns.get(bothEnds(line));
                    // Nearly all lines are of other connections, and are not split.
                    if (ends != null) {
                        look(line.strip().split(" +", -1), ends, found, own);
                    }
                }
            } catch (IOException e) {
                // A kernel without IPv6 has no table for it.
            }
        }
        return told ? own : Set.copyOf(asked);
    }

    private void look(String[] columns, Ends ends, Set<Ends> found, Set<Ends> own) {
        if (columns.length > USER_COLUMN && columns[STATE_COLUMN].equals(ESTABLISHED)) {
            found.add(ends);
            int user = Integer.parseInt(columns[USER_COLUMN]);
            if (user == ownUser || user == ROOT) {
                own.add(ends);
            }
        }
    }

    /** The columns of both ends in a line such as {@code "  0: 0100007F:9C41 0100007F:17B6 01 …"}. */
    private static String bothEnds(String line) {
        int from = line.indexOf(": ") + 2;
        int middle = line.indexOf(' ', from);
        int end = middle < 0 ? -1 : line.indexOf(' ', middle + 1);
        return end < 0 ? "" : line.substring(from, end);
    }

    /** An address and a port as the tables show them: words of four bytes in the machine's order. */
    private static String endpoint(String address, int port) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        StringBuilder text = new StringBuilder();
        for (int i = 0; bytes != null && i < bytes.length; i++) {
            int at = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? i / 4 * 4 + 3 - i % 4 : i;
            text.append(HexFormat.of().withUpperCase().toHexDigits(bytes[at]));
        }
        return text.append(':').append(String.format(Locale.ROOT, "%04X", port)).toString();
    }

    /** The same endpoint as an IPv4-mapped address. */
    private static String mapped(String endpoint) {
        String prefix = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "FFFF0000" : "0000FFFF";
        return "0".repeat(16) + prefix + endpoint;
    }
}
