"""Figures of a server as Prometheus reads them."""

import re

from zoo.web.figures import Figures


def test_large_counters_have_all_their_digits():
    figures = Figures()
    figures.count("zoo_frames_total", 1_234_567, outcome="answered")
    assert figures.text().endswith('zoo_frames_total{outcome="answered"} 1234567\n')


def test_the_last_class_of_a_histogram_is_its_count():
    figures = Figures()
    figures.take("zoo_frame_seconds", 0.004)
    figures._values["zoo_frame_seconds", ""] = 1_234_567
    text = figures.text()
    (last,) = re.findall(r'^zoo_frame_seconds_bucket{le="\+Inf"} (.*)$', text, re.MULTILINE)
    (count,) = re.findall("^zoo_frame_seconds_count (.*)$", text, re.MULTILINE)
    assert last == count == "1234567"
