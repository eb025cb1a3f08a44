#pragma once
// What is special about some documents: their words as a mixture of a background and of something of their
// own.
#include <algorithm>
#include <vector>

#include "postings.hpp"

namespace tallytext {

/// A word of some documents: what it counts there, its share of the background, and, once the mixture is
/// solved, its share of what these documents have of their own.
struct Candidate {
  double count, background, share;
  TermId word;
};

struct MixtureSettings {
  double beta;          // the share of the background, from 0 to less than 1
  bool exact;           // or by the steps below
  std::size_t n_steps;  // of expectation and maximisation
  bool trim;            // whether words of less than the mean count are left out first
  double least;         // shares below it are left out in the end
  std::size_t most;     // so many words are kept at most
};

/// The maximum of sum_w count(w) log((1 - beta) share(w) + beta background(w)), which is
/// share(w) = max(0, count(w) / mu - k background(w)) with k = beta / (1 - beta): words that come to nothing
/// drop out, mu is found anew of those left, and grows, so that none of them comes back.
inline void solve_exactly(std::vector<Candidate>& row, double beta) {
  const double k = beta / (1 - beta);
  double mu = 0;
  for (std::size_t before = 0; before != row.size();) {
    double count = 0, background = 0;
    for (const Candidate& candidate : row) {
      count += candidate.count;
      background += candidate.background;
    }
    mu = count / (1 + k * background);
    before = row.size();
    std::erase_if(row, [=](const Candidate& it) { return it.count <= k * mu * it.background; });
  }
  for (Candidate& it : row) it.share = it.count / mu - k * it.background;
}

/// The same maximum, approached by steps from share = count / sum of counts.
inline void solve_by_steps(std::vector<Candidate>& row, double beta, std::size_t n_steps) {
  double total = 0;
  for (const Candidate& it : row) total += it.count;
  for (Candidate& it : row) it.share = it.count / total;
  for (std::size_t step = 0; step < n_steps; ++step) {
    double sum = 0;
    for (Candidate& it : row) {
      const double own = (1 - beta) * it.share, both = own + beta * it.background;
      it.share = both > 0 ? it.count * own / both : 0;
      sum += it.share;
    }
    for (Candidate& it : row) it.share /= sum;
  }
}

/// Leaves out words of less than the mean count or a thousandth of the sum, and lets the background of those
/// left sum to one.
inline void trim(std::vector<Candidate>& row) {
  double total = 0, background = 0;
  for (const Candidate& it : row) total += it.count;
  const double least = std::max(total / static_cast<double>(row.size()), 0.001 * total);
  std::erase_if(row, [=](const Candidate& it) { return it.count < least; });
  for (const Candidate& it : row) background += it.background;
  if (background <= 0) return;
  for (Candidate& it : row) it.background /= background;
}

/// Leaves out small shares, and all but the largest; of equal ones the words of lower number stay.
inline void keep_largest(std::vector<Candidate>& row, double least, std::size_t most) {
  std::erase_if(row, [=](const Candidate& it) { return !(it.share > 0) || it.share < least; });
  if (row.size() <= most) return;
  const auto end = row.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(row.begin(), end, row.end(), [](const Candidate& a, const Candidate& b) {
    return a.share != b.share ? a.share > b.share : a.word < b.word;
  });
  row.erase(end, row.end());
}

/// Solves the mixture of a row of words that count something. What is left ascends by word, and its shares
/// sum to one. Nothing is left of a row whose shares are all below the least.
inline void solve(std::vector<Candidate>& row, const MixtureSettings& settings) {
  if (row.empty()) return;
  if (settings.trim) trim(row);
  if (settings.exact) {
    solve_exactly(row, settings.beta);
  } else {
    solve_by_steps(row, settings.beta, settings.n_steps);
  }
  keep_largest(row, settings.least, settings.most);
  std::sort(row.begin(), row.end(), [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  double sum = 0;
  for (const Candidate& it : row) sum += it.share;
  for (Candidate& it : row) it.share /= sum;
}

}  // namespace tallytext
