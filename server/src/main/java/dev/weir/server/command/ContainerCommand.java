package dev.weir.server.command;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Entry point of the container image. The image has no shell: {@code /bin/weir} and {@code /bin/ratelimit} are files
 * with one line, {@code #!/opt/weir/java/bin/java @/opt/weir/container.args}, and the kernel adds the path of the file
 * that was started before its arguments. {@code ratelimit} is the program of envoyproxy/ratelimit, which only serves.
 */
final class ContainerCommand {
    private ContainerCommand() {}

    public static void main(String[] arguments) {
        WeirCommand.main(withoutProgram(Arrays.asList(arguments)).toArray(String[]::new));
    }

    static List<String> withoutProgram(List<String> arguments) {
        String program = arguments.get(0);
        List<String> rest = arguments.subList(1, arguments.size());
        return program.endsWith("/ratelimit")
                ? Stream.concat(Stream.of("serve"), rest.stream()).toList()
                : rest;
    }
}
