package io.asynq4j.cli.command;

import java.util.Collection;
import java.util.List;

/** Suggestions for a misspelled word. */
final class SpellingSuggestions {

  private static final int MOST = 3;

  private SpellingSuggestions() {}

  /** The known words with the smallest edit distance, if it is small enough, in given order. */
  static List<String> nearest(String word, Collection<String> known) {
    int allowed = Math.max(1, word.replace("-", "").length() / 3);
    int least = known.stream().mapToInt(each -> slips(word, each)).min().orElse(allowed + 1);
    return least > allowed
        ? List.of()
        : known.stream().filter(each -> slips(word, each) == least).sorted().limit(MOST).toList();
  }

  /** Number of wrong, missing, extra and swapped letters. */
  static int slips(String a, String b) {
    int[][] least = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          least[i][j] = i + j;
          continue;
        }
        boolean isSame = a.charAt(i - 1) == b.charAt(j - 1);
        int best = least[i - 1][j - 1] + (isSame ? 0 : 1);
        best = Math.min(best, 1 + Math.min(least[i - 1][j], least[i][j - 1]));
        boolean isSwapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        least[i][j] = isSwapped ? Math.min(best, least[i - 2][j - 2] + 1) : best;
      }
    }
    return least[a.length()][b.length()];
  }
}
