package dev.weir.server.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A help page that breaks descriptions only at spaces: picocli would also break within an address. */
public final class HelpPage extends Help {
    public HelpPage(CommandSpec command, ColorScheme colors) {
        super(command, colors);
    }

    @Override
    public Layout createDefaultLayout(
            List<OptionSpec> options, List<PositionalParamSpec> positionals, ColorScheme colors) {
        Layout usual = super.createDefaultLayout(options, positionals, colors);
        return new Layout(colors, usual.textTable(), usual.optionRenderer(), usual.parameterRenderer()) {
            @Override
            public void layout(ArgSpec argument, Text[][] rows) {
                List<Text[]> broken = new ArrayList<>();
                for (Text[] row : rows) {
                    breakUp(row, table, broken);
                }
                super.layout(argument, broken.toArray(Text[][]::new));
            }
        };
    }

    /** Adds {@code row} to {@code into}, and the rest of its last cell, the description, in rows below. */
    private static void breakUp(Text[] row, TextTable table, List<Text[]> into) {
        int last = row.length - 1;
        int width = table.columns()[last].width - table.columns()[last].indent;
        Text[] line = row;
        int end = end(line[last].plainString(), width);
        while (end > 0) {
            Text rest = line[last].substring(end + 1);
            line[last] = line[last].substring(0, end);
            into.add(line);
            line = new Text[row.length];
            Arrays.fill(line, Ansi.OFF.text(""));
            line[last] = Ansi.OFF.text(" ".repeat(table.indentWrappedLines)).concat(rest);
            end = end(line[last].plainString(), width);
        }
        into.add(line);
    }

    /** The end of the last word that fits into {@code width}; 0 if all words fit, or not even the first one. */
    private static int end(String text, int width) {
        int start = text.length() - text.stripLeading().length();
        int space = text.length() <= width ? -1 : text.lastIndexOf(' ', width);
        return space > start ? space : 0;
    }
}
