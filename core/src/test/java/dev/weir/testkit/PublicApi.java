package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public signatures of a package as text, held against the file {@code public-api.txt} of its module. */
public final class PublicApi {
    private static final Path FILE = Path.of("public-api.txt");
    private static final String UPDATE = "weir.api.update";

    private PublicApi() {}

    /** The public types of the package of {@code member}, nested ones included, by name. */
    public static List<Class<?>> types(Class<?> member) {
        return classFiles(member).stream()
                .map(name -> load(member.getPackageName() + "." + name))
                .filter(PublicApi::isPublic)
                .collect(Collectors.toList());
    }

    /** Fails if the package of {@code member} differs from {@code public-api.txt}; with {@code -Dweir.api.update} writes it instead. */
    public static void assertUnchanged(Class<?> member) throws IOException {
        String now = types(member).stream().map(PublicApi::describe).collect(Collectors.joining("\n"));
        if (System.getProperty(UPDATE) != null) {
            Files.writeString(FILE, now);
        }
        assertThat(now)
                .as("the public API has changed: if that is meant, run this test with -D%s and commit %s", UPDATE, FILE)
                .isEqualTo(Files.exists(FILE) ? Files.readString(FILE) : "");
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && !type.isAnonymousClass() && (outer == null || isPublic(outer));
    }

    private static String describe(Class<?> type) {
        TreeSet<String> members = new TreeSet<>();
        for (Field each : type.getDeclaredFields()) {
            if (isShown(each.getModifiers(), each.isSynthetic())) {
                members.add(
                        each.isEnumConstant()
                                ? each.getName()
                                : statics(each.getModifiers()) + name(each.getGenericType()) + " " + each.getName());
            }
        }
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            if (isShown(each.getModifiers(), each.isSynthetic())) {
                members.add("new(" + names(each.getGenericParameterTypes()) + ")");
            }
        }
        for (Method each : type.getDeclaredMethods()) {
            if (isShown(each.getModifiers(), each.isSynthetic())) {
                String thrown =
                        each.getExceptionTypes().length == 0 ? "" : " throws " + names(each.getExceptionTypes());
                members.add(statics(each.getModifiers()) + name(each.getGenericReturnType()) + " " + each.getName()
                        + "(" + names(each.getGenericParameterTypes()) + ")" + thrown);
            }
        }
        return head(type) + "\n"
                + members.stream().map(each -> "    " + each + "\n").collect(Collectors.joining());
    }

    private static String head(Class<?> type) {
        String kind = type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        boolean plain = kind.equals("class");
        String modifiers = plain && Modifier.isFinal(type.getModifiers()) ? "final " : "";
        String parents =
                Stream.of(type.getGenericInterfaces()).map(PublicApi::name).collect(Collectors.joining(", "));
        return modifiers + kind + " " + name(type) + (parents.isEmpty() ? "" : " : " + parents);
    }

    private static boolean isShown(int modifiers, boolean synthetic) {
        return !synthetic && (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers));
    }

    private static String statics(int modifiers) {
        return Modifier.isStatic(modifiers) ? "static " : "";
    }

    private static String names(Type... types) {
        return Arrays.stream(types).map(PublicApi::name).collect(Collectors.joining(", "));
    }

    /** Without packages: no two types of an API have one name. */
    private static String name(Type type) {
        assertThat(type.getTypeName())
                .as("a type of the public API")
                .doesNotContain(".internal.")
                .doesNotContain("dev.weir.text");
        return type.getTypeName().replaceAll("\\b[a-z]\\w*\\.", "").replace('$', '.');
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApi.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From the folder or the jar that holds {@code member}. */
    private static List<String> classFiles(Class<?> member) {
        String folder = member.getPackageName().replace('.', '/');
        try {
            URL at = member.getProtectionDomain().getCodeSource().getLocation();
            Path root = Path.of(at.toURI());
            if (Files.isDirectory(root)) {
                return names(root.resolve(folder));
            }
            try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + at), Map.of())) {
                return names(jar.getPath(folder));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString())
                    .filter(each -> each.endsWith(".class") && !each.equals("package-info.class"))
                    .map(each -> each.substring(0, each.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
    }
}
