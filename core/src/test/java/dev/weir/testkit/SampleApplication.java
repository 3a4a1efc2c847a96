package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** An application of a user: compiled by javac and run in a JVM of its own, on the class path or on the module path. */
public final class SampleApplication {
    private final Path folder;
    private final List<Path> libraries;
    private final boolean modular;

    private SampleApplication(Path folder, List<Path> libraries, boolean modular) {
        this.folder = folder;
        this.libraries = List.copyOf(libraries);
        this.modular = modular;
    }

    /** An application in {@code folder}, which is empty, with {@code libraries} on its class path. */
    public static SampleApplication onClassPath(Path folder, List<Path> libraries) {
        return new SampleApplication(folder, libraries, false);
    }

    /** An application in {@code folder} with {@code libraries} on its module path, of which it requires {@code modules}. */
    public static SampleApplication onModulePath(Path folder, List<Path> libraries, String... modules) {
        String requires =
                Stream.of(modules).map(each -> "requires " + each + ";").collect(Collectors.joining());
        write(folder.resolve("src/module-info.java"), "module app {" + requires + "}");
        return new SampleApplication(folder, libraries, true);
    }

    /** Where the library is that holds {@code type}. */
    public static Path libraryOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The libraries of this JVM whose file names begin with one of {@code names}. */
    public static List<Path> libraries(String... names) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(each -> Stream.of(names).anyMatch(each.getFileName().toString()::startsWith))
                .toList();
    }

    /** The messages of javac for {@code source}, the class {@code app.Main}; empty if it compiles. */
    public String compile(String source) {
        write(folder.resolve("src/app/Main.java"), source);
        List<String> arguments = new ArrayList<>(List.of(
                "-d", folder.resolve("out").toString(), modular ? "--module-path" : "-classpath", joined(libraries)));
        arguments.add("-proc:none");
        if (modular) {
            arguments.add(folder.resolve("src/module-info.java").toString());
        }
        arguments.add(folder.resolve("src/app/Main.java").toString());
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        var files = javac.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options =
                arguments.stream().filter(each -> !each.endsWith(".java")).toList();
        List<String> sources =
                arguments.stream().filter(each -> each.endsWith(".java")).toList();
        boolean done = javac.getTask(said, files, null, options, null, files.getJavaFileObjectsFromStrings(sources))
                .call();
        return done ? "" : said.toString();
    }

    /** Its output, of both streams; it must have compiled. */
    public String run(String... arguments) throws IOException, InterruptedException {
        List<Path> path = new ArrayList<>(libraries);
        path.add(folder.resolve("out"));
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", modular ? "--module-path" : "-classpath", joined(path)));
        command.addAll(modular ? List.of("--module", "app/app.Main") : List.of("app.Main"));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        return Files.readString(output);
    }

    private static String joined(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
