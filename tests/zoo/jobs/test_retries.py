"""Which images are skipped after the ends of processes."""

from zoo.jobs.results_folder import Chunk, ResultsFolder, Run
from zoo.jobs.retries import Retries
from zoo.jobs.work import Order


def test_images_at_which_one_process_ended_are_not_skipped(tmp_path):
    """Who kills processes at random meets different images."""
    folder = ResultsFolder(tmp_path, Run("run-1", "1"))
    journal = folder.journal(0)
    journal.parent.mkdir()
    retries, order = Retries(folder), Order(Chunk(0, 0, 10, 0, 1))
    skipped = []
    for image in ("3", "5", "3"):
        journal.write_text(image)
        order = retries.again(order)
        assert order.careful
        skipped.append([*order.skipped])
    assert skipped == [[], [], [3]]
