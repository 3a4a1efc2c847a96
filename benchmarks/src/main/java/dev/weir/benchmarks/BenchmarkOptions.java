package dev.weir.benchmarks;

import java.util.List;

/** The options of the command line: {@code --name value}, in any order. */
public record BenchmarkOptions(List<String> args) {

    public String text(String name, String otherwise) {
        int at = args.indexOf(name);
        if (at < 0) {
            return otherwise;
        }
        if (at + 1 == args.size()) {
            throw new IllegalArgumentException(name + " (expected: a value after it)");
        }
        return args.get(at + 1);
    }

    public int number(String name, int otherwise) {
        return Integer.parseInt(text(name, String.valueOf(otherwise)));
    }
}
