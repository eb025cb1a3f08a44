#pragma once
// What is special about some documents: their words as a mixture of a background and of something of their
// own.
#include <algorithm>

#include "memory.hpp"
#include "postings.hpp"

namespace tallytext {

/// A word of some documents: what it counts there, its share of the background, and, once the mixture is
/// solved, its share of what these documents have of their own.
struct Candidate {
  double count, background, share;
  TermId word;
};

using Row = Buffer<Candidate>;

struct MixtureSettings {
  double beta;          // the share of the background, from 0 to less than 1
  bool exact;           // or by the steps below
  std::size_t n_steps;  // of expectation and maximisation
  bool trim;            // whether words of less than the mean count are left out first
  double least;         // shares below it are left out in the end
  std::size_t most;     // so many words are kept at most
};

/// Leaves out all but some words, without a branch: which these are cannot be predicted.
template <class Stays>
void keep_if(Row& row, Stays stays) {
  std::size_t n_left = 0;
  for (const Candidate& it : row) {
    const bool is_left = stays(it);
    row[n_left] = it;
    n_left += is_left;
  }
  row.resize(n_left);
}

struct MixtureSums {
  double count = 0, background = 0;

  void add(const Candidate& it, double weight = 1) {
    count += weight * it.count;
    background += weight * it.background;
  }
};

/// Leaves out words whose count is at most `level` times their background, and returns the sums of the
/// others.
inline MixtureSums drop_below(Row& row, double level) {
  MixtureSums sums;
  keep_if(row, [&](const Candidate& it) {
    const bool stays = it.count > level * it.background;
    sums.add(it, stays);
    return stays;
  });
  return sums;
}

/// The maximum of sum_w count(w) log((1 - beta) share(w) + beta background(w)), which is
/// share(w) = max(0, count(w) / mu - k background(w)) with k = beta / (1 - beta): words that come to nothing
/// drop out, mu is found anew of those left, and grows, so that none of them comes back.
inline void solve_exactly(Row& row, double beta) {
  const double k = beta / (1 - beta);
  MixtureSums sums;
  for (const Candidate& it : row) sums.add(it);
  double mu = 0;
  for (std::size_t before = 0; before != row.size();) {
    before = row.size();
    mu = sums.count / (1 + k * sums.background);
    sums = drop_below(row, k * mu);
  }
  for (Candidate& it : row) it.share = it.count / mu - k * it.background;
}

/// The same maximum, approached by steps from share = count / sum of counts.
inline void solve_by_steps(Row& row, double beta, std::size_t n_steps) {
  double sum = 0;
  for (Candidate& it : row) sum += it.share = it.count;
  for (std::size_t step = 0; step < n_steps; ++step) {
    const double scale = (1 - beta) / sum;  // so that the shares of the step before sum to one
    sum = 0;
    for (Candidate& it : row) {
      const double own = scale * it.share, both = own + beta * it.background;
      it.share = both > 0 ? it.count * own / both : 0;
      sum += it.share;
    }
  }
  for (Candidate& it : row) it.share /= sum;
}

/// Leaves out words of less than the mean count or a thousandth of the sum, and lets the background of those
/// left sum to one.
inline void trim(Row& row) {
  double total = 0, background = 0;
  for (const Candidate& it : row) total += it.count;
  const double least = std::max(total / static_cast<double>(row.size()), 0.001 * total);
  keep_if(row, [=](const Candidate& it) { return it.count >= least; });
  for (const Candidate& it : row) background += it.background;
  if (background <= 0) return;
  for (Candidate& it : row) it.background /= background;
}

/// Leaves out small shares, and all but the largest; of equal ones the words of lower number stay.
inline void keep_largest(Row& row, double least, std::size_t most) {
  keep_if(row, [=](const Candidate& it) { return it.share > 0 && it.share >= least; });
  if (row.size() <= most) return;
  std::nth_element(row.begin(), row.begin() + most, row.end(), [](const Candidate& a, const Candidate& b) {
    return a.share != b.share ? a.share > b.share : a.word < b.word;
  });
  row.resize(most);
}

/// Solves the mixture of a row of words that count something. What is left ascends by word, and its shares
/// sum to one. Nothing is left of a row whose shares are all below the least.
inline void solve(Row& row, const MixtureSettings& settings) {
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
