"""Model expressions: estimators written as text, such as ``multinomial(smoothing=laplace(1))``.

The same text works in Python, on the command line, in reports and in files. An expression is a name
with parameters in parentheses; a value is a number, a string, ``true``, ``false``, ``none``, a list
in brackets, or another expression::

    expression = name [ "(" [ argument { "," argument } ] ")" ]
    argument   = [ parameter "=" ] value
    value      = number | string | word | list | expression
    list       = "[" [ value { "," value } ] "]"

Words need no quotes unless they contain spaces or punctuation of the grammar: ``b=leave-one-out``,
``translation=news.translation``. :func:`parse_expression` reads the text, :func:`build_estimator`
makes the estimator, and :func:`format_estimator` writes it down again. No text is run as code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tallytext.classifier.registry import Learner, find_learner, is_learner
from tallytext.errors import ExpressionError, FileError, did_you_mean

if TYPE_CHECKING:
    from tallytext.features.l1 import L1Selector
    from tallytext.features.selector import TermSelector

Category: TypeAlias = Literal["model", "smoothing", "selector", "features"]

MAX_DEPTH = 16  # a hostile text must not exhaust the stack
MAX_LENGTH = 10_000
_MAX_DIGITS = 400  # more than any number has; Python refuses to convert thousands of them

# Values that raise these errors are invalid values of a parameter, not faults of the program.
_INVALID = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A name with arguments, and the places where they stand in the text.

    Attributes
    ----------
    name : str
    positional : tuple
        The values without a name.
    named : mapping of str to value
    places : mapping of str to int
        The place of each named argument.
    place : int
        The place of the name itself.
    """

    name: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict, compare=False)
    place: int = field(default=0, compare=False)


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s()\[\],='"]|$))
    | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<word>[^\s()\[\],='"]+)
    | (?P<mark>[()\[\],=])
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_CONSTANTS = {"true": True, "false": False, "none": None}


def parse_expression(text: str) -> Call:
    """Read an expression.

    Parameters
    ----------
    text : str
        A name, with arguments in parentheses if there are any.

    Raises
    ------
    ExpressionError
        If the text is not an expression. The message points at the place.

    Examples
    --------
    >>> call = parse_expression("poisson(alpha=0.8, weighting=chi)")
    >>> call.name, dict(call.named)
    ('poisson', {'alpha': 0.8, 'weighting': 'chi'})
    >>> parse_expression("poisson(alpha=")
    Traceback (most recent call last):
    ...
    tallytext.errors.ExpressionError: a value is missing
      poisson(alpha=
                    ^
    """
    return _Parser(text).parse()


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise ExpressionError(f"an expression has at most {MAX_LENGTH:,} characters.")
        self._text, self._next = text, 0
        self._tokens: list[tuple[str, str, int]] = []
        at = 0
        while not self._tokens or self._tokens[-1][0] != "end":
            match = _TOKEN.match(text, at)
            if match is None:  # only an opening quote without its closing one matches nothing
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise error_at("this string does not end", text, start)
            kind = str(match.lastgroup)
            self._tokens.append((kind, match.group(kind), match.start(kind)))
            at = match.end()

    def parse(self) -> Call:
        """Return the call that the whole text stands for."""
        kind, word, place = self._tokens[0]
        if kind != "word":
            raise self._error("a name is missing" if kind == "end" else "a name must stand here")
        value = self._value(0)
        if self._tokens[self._next][0] != "end":
            raise self._error("the expression ends before this")
        return value if isinstance(value, Call) else Call(word, place=place)

    def _value(self, depth: int) -> Any:
        kind, token, place = self._tokens[self._next]
        if depth > MAX_DEPTH:
            raise self._error(f"parentheses are nested more than {MAX_DEPTH} deep")
        if kind == "end" or (kind == "mark" and token != "["):
            raise self._error("a value is missing")
        if kind == "number":
            number = self._number(token)
            self._next += 1
            return number
        self._next += 1
        if kind == "mark":
            return self._items("]", lambda: self._value(depth + 1))
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)
        if self._sees("("):
            return self._call(token, place, depth)
        return _CONSTANTS.get(token.lower(), token)

    def _number(self, token: str) -> int | float:
        if len(token) > _MAX_DIGITS:
            raise self._error("this number has too many digits")
        return int(token) if re.fullmatch(r"[+-]?[0-9]+", token) else float(token)

    def _call(self, name: str, place: int, depth: int) -> Call:
        self._next += 1
        positional: list[Any] = []
        named: dict[str, Any] = {}
        places: dict[str, int] = {}

        def argument() -> None:
            kind, word, start = self._tokens[self._next]
            if kind == "word" and self._tokens[self._next + 1][:2] == ("mark", "="):
                if word in named:
                    raise self._error(f"{word} is given twice")
                self._next += 2
                named[word], places[word] = self._value(depth + 1), start
            elif named:
                raise self._error("an argument with a name must follow, as in alpha=0.8")
            else:
                positional.append(self._value(depth + 1))

        self._items(")", argument)
        return Call(name, tuple(positional), named, places, place)

    def _items(self, end: str, read: Callable[[], Any]) -> list[Any]:
        items: list[Any] = []
        while not self._sees(end):
            items.append(read())
            if self._sees(","):
                self._next += 1
            elif not self._sees(end):
                raise self._error(f"a comma or {end!r} is missing")
        self._next += 1
        return items

    def _sees(self, mark: str) -> bool:
        return self._tokens[self._next][:2] == ("mark", mark)

    def _error(self, problem: str) -> ExpressionError:
        return error_at(problem, self._text, self._tokens[self._next][2])


def error_at(problem: str, text: str, place: int) -> ExpressionError:
    """Return an error that points at a place of an expression.

    Parameters
    ----------
    problem : str
    text : str
        The expression.
    place : int
        The position of the character to point at.
    """
    line = "".join(char if char.isprintable() else " " for char in text)
    start = max(0, place - 60)
    shown = ("…" if start else "") + line[start : place + 30]
    return ExpressionError(f"{problem}\n  {shown}\n  {' ' * (place - start + bool(start))}^")


# --- names and parameters ------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A name of the grammar: the class behind it, and its parameters.

    Attributes
    ----------
    name : str
        The name in expressions.
    category : {"model", "smoothing", "selector", "features"}
    home, class_name : str
        The module and the class, imported on first use: completion must not import NumPy.
    parameters : tuple of str
        The parameters of the class that an expression can set, in the order of the class.
    fixed : mapping of str to object
        Parameters that the name implies.
    defaults : mapping of str to object
        Defaults that differ from those of the class; a nested one is an expression.
    aliases : mapping of str to str
        Other names of parameters.
    implied : mapping of str to mapping
        Values of other parameters that an alias implies, unless they are given.
    nested : mapping of str to str
        Parameters whose values are expressions themselves, with their category.
    other_names : tuple of str
        Other names of the same kind.
    """

    name: str
    category: Category
    home: str
    class_name: str
    parameters: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    implied: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    nested: Mapping[str, Category] = field(default_factory=dict)
    other_names: tuple[str, ...] = ()

    def load(self) -> type[Any]:
        """Import and return the class."""
        loaded: type[Any] = getattr(import_module(self.home), self.class_name)
        return loaded

    def default_values(self) -> dict[str, Any]:
        """Return the value of each parameter that is not given."""
        own = {
            name: _make_estimator(parse_expression(value), self.nested[name], value)
            if name in self.nested
            else value
            for name, value in self.defaults.items()
        }
        of_class = signature(self.load()).parameters
        return {name: own.get(name, of_class[name].default) for name in self.parameters}


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MULTINOMIAL = _names(
    "smoothing tf normalize norm_length tf_test complement weighting weight_power weight_by_class "
    "length_model prior prior_beta class_weight dtype"
)
_CONTRAST = tuple(name for name in _MULTINOMIAL if name != "complement")
_CHI_CONTRAST = tuple(name for name in _CONTRAST if name != "weighting")
_SELECTOR = _names("k threshold keep average labels min_df nonempty")
_STRENGTH = tuple(name for name in _SELECTOR if name not in ("average", "labels"))
_SMOOTHED: dict[str, Category] = {"smoothing": "smoothing"}
_WEIGHTS = {"weights": "weighting"}


def _multinomial(name: str, parameters: tuple[str, ...], smoothing: str, **more: Any) -> Kind:
    defaults = {"smoothing": smoothing, **more.pop("defaults", {})}
    home = "tallytext.models.multinomial"
    return Kind(
        name,
        "model",
        home,
        "MultinomialNB",
        parameters,
        defaults=defaults,
        nested=_SMOOTHED,
        **more,
    )


def _smoothing(name: str, class_name: str, parameters: str, module: str = "base") -> Kind:
    home = f"tallytext.models.smoothing.{module}"
    return Kind(name, "smoothing", home, class_name, _names(parameters))


def _score(name: str, parameters: tuple[str, ...] = _SELECTOR) -> Kind:
    home, fixed = "tallytext.features.selector", {"method": name}
    # In a classifier no document becomes empty by selection, unless that is asked for.
    return Kind(
        name, "selector", home, "TermSelector", parameters, fixed, defaults={"nonempty": True}
    )


KINDS: tuple[Kind, ...] = (
    _multinomial("multinomial", _MULTINOMIAL, "background(0.5)"),
    _multinomial("contrast", _CONTRAST, "laplace(0.1)", fixed={"complement": True}),
    _multinomial("complement", _CONTRAST, "laplace(0.3)", fixed={"complement": "only"}),
    _multinomial(
        "chi-contrast",
        _CHI_CONTRAST,
        "laplace(0.1)",
        fixed={"complement": True, "weighting": "chi"},
        defaults={"normalize": "l2", "tf_test": "log", "weight_power": 0.3, "prior": "uniform"},
    ),
    Kind(
        "bernoulli",
        "model",
        "tallytext.models.bernoulli",
        "BernoulliNB",
        _names("gamma complement prior prior_beta class_weight dtype"),
        defaults={"gamma": 0.1},
    ),
    Kind(
        "poisson",
        "model",
        "tallytext.models.poisson",
        "PoissonNB",
        _names(
            "alpha theta weighting weight_power prr_source per_class prior prior_beta class_weight "
            "dtype"
        ),
    ),
    Kind(
        "refined",
        "model",
        "tallytext.models.refined",
        "RefinedNB",
        _names("cost passes centre chi_power nb random_state keep"),
        nested={"nb": "model"},
    ),
    Kind(
        "neighbours",
        "model",
        "tallytext.models.knn",
        "CosineKNN",
        _names("k weighting"),
        aliases=_WEIGHTS,
        other_names=("knn",),
    ),
    Kind(
        "llsf",
        "model",
        "tallytext.models.llsf",
        "LLSF",
        _names("solver n_components alpha weighting fit_intercept keep tol max_iter random_state"),
        aliases={"singular_values": "n_components", **_WEIGHTS},
        implied={"singular_values": {"solver": "svd"}},
    ),
    Kind(
        "rotation",
        "model",
        "tallytext.models.rotation",
        "RotationForest",
        _names("n_estimators n_blocks n_components weighting random_state"),
        aliases={"members": "n_estimators", **_WEIGHTS},
    ),
    Kind(
        "discriminant",
        "model",
        "tallytext.models.discriminant",
        "LinearDiscriminant",
        _names("features"),
        nested={"features": "features"},
    ),
    Kind(
        "pooled",
        "model",
        "tallytext.models.pooled",
        "PooledNB",
        _names(
            "topicality translation beta n_components min_df cost trust doubt rounds length "
            "concentration annealing penalty labelled_weight random_state"
        ),
    ),
    _smoothing("laplace", "Laplace", "epsilon"),
    _smoothing("background", "Background", "alpha"),
    _smoothing("dirichlet", "Dirichlet", "m"),
    _smoothing("discount", "AbsoluteDiscount", "b background scheme events literal", "discounting"),
    _smoothing(
        "semantic", "Semantic", "translation weight alpha signatures min_probability", "semantic"
    ),
    _smoothing("none", "Unsmoothed", ""),
    *(_score(name) for name in ("ig", "chi", "mi", "prr")),
    _score("df", _STRENGTH),
    _score("ts", _STRENGTH),
    Kind(
        "l1",
        "selector",
        "tallytext.features.l1",
        "L1Selector",
        _names(
            "loss l1_lambda n_terms weighting fit_intercept n_lambdas cv tol max_iter random_state"
        ),
        aliases={"strength": "l1_lambda", **_WEIGHTS},
    ),
    Kind(
        "fisher",
        "features",
        "tallytext.features.fisher",
        "FisherFeatures",
        _names("n_components n_lsa ridge append weighting random_state"),
        aliases=_WEIGHTS,
    ),
)
"""All names of the grammar. A test compares the parameters with those of the classes."""


def kinds_of(category: Category) -> dict[str, Kind]:
    """Return the kinds of a category by name, also by their other names.

    Parameters
    ----------
    category : {"model", "smoothing", "selector", "features"}

    Examples
    --------
    >>> list(kinds_of("smoothing"))
    ['laplace', 'background', 'dirichlet', 'discount', 'semantic', 'none']
    """
    own = [kind for kind in KINDS if kind.category == category]
    return {name: kind for kind in own for name in (kind.name, *kind.other_names)}


def complete_expression(text: str, category: Category = "model") -> list[str]:
    """Return the texts that the last word of an unfinished expression can become.

    Parameters
    ----------
    text : str
        The beginning of an expression.
    category : {"model", "smoothing", "selector", "features"}, default="model"

    Examples
    --------
    >>> complete_expression("multinomial(smoothing=di")
    ['multinomial(smoothing=dirichlet', 'multinomial(smoothing=discount']
    >>> complete_expression("knn(")
    ['knn(k=', 'knn(weighting=', 'knn(weights=']
    """
    frames: list[tuple[Kind | None, str]] = []  # open calls, each with the parameter before "="

    def kinds_here() -> dict[str, Kind]:
        if not frames:
            return kinds_of(category)
        kind, parameter = frames[-1]
        nested = None if kind is None else kind.nested.get(kind.aliases.get(parameter, parameter))
        return {} if nested is None else kinds_of(nested)

    word = ""
    for piece in re.split(r"([()\[\],=])", text):
        if piece == "(":
            frames.append((kinds_here().get(word.strip()), ""))
        elif piece == ")" and frames:
            frames.pop()
        elif piece in (",", "=") and frames:
            frames[-1] = frames[-1][0], word.strip() if piece == "=" else ""
        word = "" if piece in ("(", ")", "[", "]", ",", "=") else piece
    word = word.lstrip()
    names = [*kinds_here()]
    if frames and frames[-1][0] is not None and not frames[-1][1]:
        kind = frames[-1][0]
        names = [f"{name}=" for name in (*kind.parameters, *kind.aliases)]
    start = text[: len(text) - len(word)]
    return [start + name for name in names if name.startswith(word)]


# --- from text to estimators ---------------------------------------------------------------------


def build_estimator(text: str, category: Category = "model") -> Any:
    """Return the unfitted estimator that an expression describes.

    Parameters
    ----------
    text : str
        The expression.
    category : {"model", "smoothing", "selector", "features"}, default="model"
        The kind of estimator that is expected.

    Raises
    ------
    ExpressionError
        If the text is not an expression, a name or a parameter is unknown, or a value is invalid.
        The message points at the place and lists the possible names.

    Examples
    --------
    >>> build_estimator("contrast(smoothing=laplace(0.3), normalize=l1)")
    MultinomialNB(complement=True, normalize='l1', smoothing=Laplace(epsilon=0.3))
    >>> build_estimator("knn(k=45, weights=ltc)")
    CosineKNN(k=45)
    >>> build_estimator("chi(keep=0.02, average=max)", "selector")
    TermSelector(average='max', keep=0.02, method='chi', nonempty=True)
    >>> build_estimator("poisson(alhpa=1)")
    Traceback (most recent call last):
    ...
    tallytext.errors.ExpressionError: poisson has no parameter 'alhpa'. Did you mean 'alpha'? ...
    """
    return _make_estimator(parse_expression(text), category, text)


def build_model(text: str) -> tuple[Learner, Any]:
    """Return the learner of an expression, and its unfitted model.

    The name of a learner alone is its default setting.

    Parameters
    ----------
    text : str
        The expression.

    Raises
    ------
    UnknownNameError
        If it is a name alone, and no learner has it.
    ExpressionError
        If it is any other text that is not a model.

    Examples
    --------
    >>> learner, model = build_model("bernoulli(complement=true)")
    >>> learner.name, model
    ('bernoulli', BernoulliNB(complement=True, gamma=0.1))
    """
    call, known = parse_expression(text), kinds_of("model")
    if call.name in known:
        learner = find_learner(known[call.name].name)
        is_default = call == Call(call.name)
        return learner, learner.default() if is_default else _make_estimator(call, "model", text)
    if call == Call(call.name):
        learner = find_learner(call.name)  # raises, and lists the names
        return learner, learner.default()
    if not is_learner(call.name):
        _make_estimator(call, "model", text)  # raises, and points at the name
    # A learner that the user registered: its own function makes the model.
    learner = find_learner(call.name)
    if call.positional:
        raise error_at(f"name the parameters of {call.name}, as in a=1", text, call.place)
    try:
        return learner, learner.make(**{**learner.settings[0], **call.named})
    except _INVALID as problem:
        raise error_at(f"{call.name}: {problem}", text, call.place) from None


def build_selector(text: str) -> TermSelector | L1Selector:
    """Return the unfitted selector of an expression, or of a score with an amount.

    Parameters
    ----------
    text : str
        An expression such as ``chi(keep=0.02)``; or the short form ``chi:0.02``, a score with a
        share or a number of terms.

    Examples
    --------
    >>> build_selector("ig:2000")
    TermSelector(k=2000, nonempty=True)
    >>> build_selector("l1(strength=2)")
    L1Selector(l1_lambda=2)
    """
    short = re.fullmatch(r"\s*([a-z0-9]+):([0-9.eE+-]+)\s*", text)
    selector: TermSelector | L1Selector = build_estimator(
        f"{short[1]}(keep={short[2]})" if short else text, "selector"
    )
    return selector


def _make_estimator(call: Call, category: Category, text: str) -> Any:
    known = kinds_of(category)
    if call.name not in known:
        raise error_at(
            f"there is no {category} {call.name!r}.{did_you_mean(call.name, known)} "
            f"There are: {', '.join(known)}.",
            text,
            call.place,
        )
    kind = known[call.name]
    given = _named_arguments(kind, call, text)
    try:
        values = {**kind.default_values(), **kind.fixed}
        for name, value in given.items():
            values[name] = _value_for(kind, name, value, values[name], text, call)
        _convert(kind, given, values)
        estimator = kind.load()(**values)
        check = getattr(estimator, "_check_parameters", None)
        if check is not None:
            check()  # as fit would, before any document is read
    except ExpressionError:
        raise
    except _INVALID as problem:
        # Most messages begin with the parameter that is invalid.
        parameter = str(problem).partition(" ")[0].rstrip(":")
        raise error_at(f"{kind.name}: {problem}", text, _place(call, parameter, kind)) from None
    return estimator


def _named_arguments(kind: Kind, call: Call, text: str) -> dict[str, Any]:
    """Return the arguments of a call by the names of the class's parameters."""
    if len(call.positional) > len(kind.parameters):
        names = ", ".join(kind.parameters) or "none"
        raise error_at(f"{kind.name} has fewer parameters: {names}", text, call.place)
    found = dict(zip(kind.parameters, call.positional, strict=False))
    implied: dict[str, Any] = {}
    for given, value in call.named.items():
        name = kind.aliases.get(given, given)
        if name not in kind.parameters:
            possible = [*kind.parameters, *kind.aliases]
            raise error_at(
                f"{kind.name} has no parameter {given!r}.{did_you_mean(given, possible)} "
                f"There are: {', '.join(possible) or 'none'}.",
                text,
                call.places[given],
            )
        if name in found:
            raise error_at(f"{name} is given twice", text, call.places[given])
        found[name] = value
        implied |= kind.implied.get(given, {})
    return implied | found


def _value_for(kind: Kind, name: str, value: Any, default: Any, text: str, call: Call) -> Any:
    """Return the value of a parameter, with the expressions in it built."""
    category = kind.nested.get(name)
    if category is not None:
        if value is None and category != "smoothing":
            return None
        # A bare name is a word to the parser, and none is the name of a smoothing, too.
        if isinstance(value, Call):
            return _make_estimator(value, category, text)
        if value is not None and not isinstance(value, str):
            raise error_at(
                f"{name} of {kind.name} is an expression", text, _place(call, name, kind)
            )
        return _make_estimator(
            Call("none" if value is None else value, place=_place(call, name, kind)), category, text
        )
    if isinstance(value, Call):
        raise error_at(f"{name} of {kind.name} cannot be an expression", text, value.place)
    if isinstance(default, float) and type(value) is int:
        return float(value)  # 1 and 1.0 are the same setting
    return value


def _place(call: Call, name: str, kind: Kind) -> int:
    """Return the place of an argument, whichever of its names was used."""
    names = [name, *(alias for alias, own in kind.aliases.items() if own == name)]
    return next((call.places[each] for each in names if each in call.places), call.place)


def _convert(kind: Kind, given: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Convert values that mean something else in an expression than in the class."""
    if kind.class_name == "TermSelector" and type(given.get("keep")) is int:
        # A number of terms, or a share of them: keep=2000 or keep=0.02.
        values["k"], values["keep"] = given["keep"], None
    if kind.class_name == "Semantic" and isinstance(values["translation"], str):
        from tallytext.semantic.translation import TranslationModel

        try:
            values["translation"] = TranslationModel.load(values["translation"])
        except (FileError, OSError) as problem:
            raise ValueError(
                f"translation: {problem} The command 'tally translate learn' writes such a file."
            ) from None


# --- from estimators to text ---------------------------------------------------------------------


def format_estimator(estimator: Any) -> str:
    """Return the expression of an estimator, with the parameters that differ from their defaults.

    ``build_estimator(format_estimator(model))`` has the same parameters, apart from those that
    belong to the documents and to the machine: ``multi_label``, ``n_jobs`` and ``verbose``.

    Parameters
    ----------
    estimator : model, smoothing, selector or features

    Raises
    ------
    ExpressionError
        If the estimator, or the value of a parameter, cannot be written as an expression.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> from tallytext.models import AbsoluteDiscount
    >>> format_estimator(MultinomialNB(AbsoluteDiscount(b="leave-one-out"), normalize="l1"))
    'multinomial(smoothing=discount(b=leave-one-out), normalize=l1)'
    >>> format_estimator(MultinomialNB.chi_contrast())
    'chi-contrast'
    """
    kind, values = _match_kind(estimator)
    shown = [f"{name}={_format_value(value)}" for name, value in values.items()]
    return f"{kind.name}({', '.join(shown)})" if shown else kind.name


def _match_kind(estimator: Any) -> tuple[Kind, dict[str, Any]]:
    """Return the kind with the fewest parameters left to write, and these."""
    found = []
    for kind in KINDS:
        if kind.class_name == type(estimator).__name__ and type(estimator) is kind.load():
            values = _changed_parameters(estimator, kind)
            if values is not None:
                found.append((kind, values))
    if not found:
        raise ExpressionError(f"{estimator!r:.80} cannot be written as an expression.")
    return min(found, key=lambda each: len(each[1]))


#: They belong to the documents or to the machine, and not to the setting.
_OMITTED = {"multi_label", "n_jobs", "verbose"}


def _changed_parameters(estimator: Any, kind: Kind) -> dict[str, Any] | None:
    """Return the parameters that differ from their defaults; None if the kind cannot have them."""
    defaults, changed = kind.default_values(), {}
    for name, parameter in signature(kind.load()).parameters.items():
        value = getattr(estimator, name)
        if name in kind.nested and value is None and kind.nested[name] == "smoothing":
            value = _make_estimator(Call("background"), "smoothing", "background")
        expected = defaults.get(name, kind.fixed.get(name, parameter.default))
        if name in _OMITTED or _is_same(value, expected):
            continue
        if name not in kind.parameters:
            return None
        changed[name] = value
    return changed


def _is_same(value: Any, other: Any) -> bool:
    """Return True for equal parameters; 1 is 1.0, but not True."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, int | float | str) or value is None:
        return bool(value == other)
    if type(value) is not type(other):
        return False
    if hasattr(value, "get_params"):
        return bool(value.get_params() == other.get_params())
    try:
        return bool(value == other)
    except ValueError:  # arrays
        return False


def _format_value(value: Any) -> str:
    value = value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, str):
        return value if _is_plain_word(value) else '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    return format_estimator(value)


def _is_plain_word(value: str) -> bool:
    match = _TOKEN.fullmatch(value)
    return (
        match is not None
        and match.lastgroup == "word"
        and match.group("word") == value
        and value.lower() not in _CONSTANTS
    )
