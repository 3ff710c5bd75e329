"""Options of the methods of published models: defaults, and errors in words."""

from tests.zoo.publishing.node_scripts import run_script

_OPTIONS = """
import { checkedOptions } from "./scripts/options.js";
const known = {
  share: { type: "number", default: 0.5, low: 0, high: 1 },
  count: { type: "integer", default: 3, low: 1 },
  any: { type: "number", default: null },
  mirror: { type: "flag", default: false },
};
const valid = [
  undefined,
  null,
  {},
  { share: undefined, count: null },
  { share: 1, count: 9, any: -7.5, mirror: true },
];
const invalid = [
  { shares: 1 },
  { toString: 1 },
  { share: 1.5 },
  { share: "0.2" },
  { share: NaN },
  { count: 0 },
  { count: 2.5 },
  { count: true },
  { any: Infinity },
  { mirror: 1 },
  "mirror",
];
const wordsOf = (options) => {
  try {
    checkedOptions("find", options, known);
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  return null;
};
answer([valid.map((options) => checkedOptions("find", options, known)), invalid.map(wordsOf)]);
"""


def test_options_have_defaults_and_wrong_ones_are_refused_in_words(tmp_path):
    valid, words = run_script(tmp_path, _OPTIONS)
    defaults = {"share": 0.5, "count": 3, "any": None, "mirror": False}
    given = {"share": 1, "count": 9, "any": -7.5, "mirror": True}
    assert valid == [defaults, defaults, defaults, defaults, given]
    expected = [
        "unknown option shares of find; valid options: share, count, any, mirror",
        "unknown option toString of find; valid options: share, count, any, mirror",
        "share of find is 1.5: give a number between 0 and 1",
        'share of find is "0.2": give a number between 0 and 1',
        "share of find is NaN: give a number between 0 and 1",
        "count of find is 0: give an integer of at least 1",
        "count of find is 2.5: give an integer of at least 1",
        "count of find is true: give an integer of at least 1",
        "any of find is Infinity: give a number",
        "mirror of find is 1: give true or false",
        "options of find are an object, such as { mirror: true }",
    ]
    assert words == [f"ZooError: {each}" for each in expected]
