"""Images for runs that are disturbed, and what an undisturbed run finds in them."""

import pytest

import zoo
from tests.zoo.jobs.job_images import digest, make_images


@pytest.fixture(scope="session")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    make_images(folder, 120)
    return folder


@pytest.fixture(scope="session")
def undisturbed(images, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    return digest(out)
