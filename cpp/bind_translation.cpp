// Bindings of the estimation of translation models.
#include <limits>

#include "bindings.hpp"
#include "translation.hpp"

namespace {
using namespace tallytext;

/// The upper limit of values, so that sums of them stay finite.
constexpr double largest_value = 1e15;

void check_shares(const In<double>& background) {
  for (std::size_t w = 0; w < background.size(); ++w) {
    const double share = background(w);
    if (!(share >= 0 && share <= 1)) throw nb::value_error("a share of the background is not from 0 to 1");
  }
}

WeightedRows<double> documents_of(const In<int64_t>& starts, const In<int32_t>& words,
                                  const In<double>& values, std::size_t n_words) {
  check_rows(starts, words.size(), "the rows do not fit the words");
  check_ids(words, n_words, "a word is out of range");
  if (values.size() != words.size()) throw nb::value_error("there are more or fewer values than words");
  const auto in_range = [](double value) { return value >= 0 && value <= largest_value; };
  if (!std::all_of(values.data(), values.data() + values.size(), in_range)) {
    throw nb::value_error("a value is negative, larger than 1e15, or not a number");
  }
  check_at_most(starts.size(), std::numeric_limits<int32_t>::max(), "the number of documents");
  return {span_of(starts), span_of(words), span_of(values)};
}

void make_translation(Translation* self, In<int64_t> starts, In<int32_t> words, In<double> values,
                      In<double> background, In<int64_t> signature_starts, In<int32_t> signatures,
                      std::size_t n_signatures) {
  const auto docs = documents_of(starts, words, values, background.size());
  check_shares(background);
  check_rows(signature_starts, signatures.size(), "the rows do not fit the signatures");
  check_at_most(n_signatures, most_terms, "n_signatures");
  check_ids(signatures, n_signatures, "a signature is out of range");
  if (signature_starts.size() != starts.size()) {
    throw nb::value_error("there are more or fewer rows of signatures than documents");
  }
  nb::gil_scoped_release release;
  new (self)
      Translation(docs, span_of(background), span_of(signature_starts), span_of(signatures), n_signatures);
}

Out<int64_t> costs(const Translation& self) {
  std::vector<int64_t> made(self.n_signatures());
  {
    nb::gil_scoped_release release;
    for (std::size_t t = 0; t < made.size(); ++t) made[t] = static_cast<int64_t>(self.cost(t));
  }
  return to_numpy(std::move(made));
}

std::tuple<Out<int64_t>, Out<int32_t>, Out<double>> rows(const Translation& self, std::size_t first,
                                                         std::size_t last, double beta, bool exact,
                                                         std::size_t n_steps, bool trim, double least,
                                                         std::size_t most, std::size_t min_df,
                                                         std::size_t n_threads) {
  if (first > last || last > self.n_signatures()) throw nb::index_error("there are no such signatures");
  if (!(beta >= 0 && beta < 1)) throw nb::value_error("beta is not from 0 to less than 1");
  if (!(least >= 0)) throw nb::value_error("the least share is negative or not a number");
  check_threads(n_threads);
  const MixtureSettings settings{beta, exact, n_steps, trim, least, most};
  TranslatedRows made;
  {
    nb::gil_scoped_release release;
    made = self.rows({first, last}, settings, min_df, n_threads);
  }
  return {to_numpy(std::move(made.starts)), to_numpy(std::move(made.words)),
          to_numpy(std::move(made.shares))};
}

}  // namespace

void bind_translation(nb::module_& m) {
  nb::class_<Translation>(m, "Translation")
      .def("__init__", &make_translation, nb::arg("starts"), nb::arg("words"), nb::arg("values").noconvert(),
           nb::arg("background").noconvert(), nb::arg("signature_starts"), nb::arg("signatures"),
           nb::arg("n_signatures"))
      .def_prop_ro("n_signatures", &Translation::n_signatures)
      .def("costs", &costs)
      .def("rows", &rows, nb::arg("first"), nb::arg("last"), nb::kw_only(), nb::arg("beta"), nb::arg("exact"),
           nb::arg("n_steps"), nb::arg("trim"), nb::arg("least"), nb::arg("most"), nb::arg("min_df"),
           nb::arg("n_threads"));
}
