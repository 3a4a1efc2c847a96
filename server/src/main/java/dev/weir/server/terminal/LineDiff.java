package dev.weir.server.terminal;

import java.util.ArrayList;
import java.util.List;

/** The changed lines between two texts: those outside a longest common subsequence, so that a moved line shows twice. */
public final class LineDiff {
    private LineDiff() {}

    /** Returns the changed lines in order, {@code "- "} before a removed one and {@code "+ "} before an added one. */
    public static List<String> of(List<String> before, List<String> after) {
        int[][] common = common(before, after);
        List<String> changed = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            boolean same =
                    i < before.size() && j < after.size() && before.get(i).equals(after.get(j));
            if (same) {
                i++;
                j++;
            } else if (j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
                changed.add("- " + before.get(i++));
            } else {
                changed.add("+ " + after.get(j++));
            }
        }
        return changed;
    }

    /** Returns the lengths of longest common subsequences of the lines from i of one and from j of the other. */
    private static int[][] common(List<String> before, List<String> after) {
        int[][] common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return common;
    }
}
