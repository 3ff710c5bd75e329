"""The page of `zoo serve` in Chromium: choose, send, see what comes back."""

import io
import json

import pytest
from PIL import Image

import zoo
from tests.conftest import ROOT
from tests.gallery.browser import opened
from tests.zoo.web.rest_servers import rest_running

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture
def page():
    with rest_running() as server, opened(server) as found:
        found.wait(lambda: found.data.get("ready"), "the form")
        yield found


def choose(found, verb, file):
    found.page.select_option("#verb", f"/v1/{verb}")
    found.page.set_input_files("#image", file)
    found.wait(lambda: found.text("#notice") == "Press Send.", "the image")


def test_a_form_sends_an_image_and_shows_the_answer(page):
    choose(page, "estimate_multiple_poses", str(ASTRONAUT))
    before = page.pixels()
    assert "poses of several people" in page.text("#summary")
    page.page.click("summary")
    page.page.fill("[name=max_poses]", "1")
    page.page.select_option("[name=mirror]", "true")
    query = "estimate_multiple_poses?max_poses=1&mirror=true"
    command = f"curl --data-binary '@astronaut.jpg' 'http://{page.server.host}/v1/{query}'"
    assert page.text("#command") == command
    assert f'requests.post("http://{page.server.host}/v1/{query}", data=image)' in page.text(
        "#program"
    )
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.page.click("[data-copies=command]")
    page.wait(lambda: page.text("[data-copies=command]") == "Copied", "a copy")
    assert page.page.evaluate("navigator.clipboard.readText()") == command
    page.page.click("#send")
    page.wait(lambda: page.text("#notice").startswith("1 result in "), "an answer")
    expected = zoo.estimate_multiple_poses(ASTRONAUT, max_poses=1, mirror=True)
    assert json.loads(page.text("#answer")) == json.loads(zoo.to_json(expected))
    assert before.shape == page.pixels().shape and (before != page.pixels()).any()
    page.check_clean()


def test_an_error_is_shown(page, tmp_path):
    path = tmp_path / "image.jpg"
    path.write_bytes(b"no image")
    page.page.set_input_files("#image", str(path))
    page.wait(lambda: "cannot show this image" in page.text("#notice"), "a notice")
    page.page.click("#send")
    page.wait(lambda: "not an image in a format" in page.text("#answer"), "an error")
    assert "save it as JPEG or PNG" in page.text("#notice")
    assert page.outside == []


def test_an_answer_to_another_image_is_not_shown(page):
    held = []
    page.page.route("**/v1/*", lambda route: held.append(route))
    choose(page, "estimate_single_pose", str(ASTRONAUT))
    page.page.click("#send")
    page.wait(lambda: held, "a request")
    page.page.set_input_files("#image", white("b.png"))
    page.wait(lambda: page.text("#notice") == "Press Send.", "the other image")
    before = page.pixels()
    held[0].continue_()
    page.wait(lambda: page.page.is_enabled("#send"), "the answer")
    assert page.text("#notice") == "Press Send." and not page.page.is_visible("#answer")
    assert (page.pixels() == before).all()
    page.check_clean()


SLOW_DECODER = """() => {
  const decode = createImageBitmap;
  globalThis.held = [];
  globalThis.createImageBitmap = async (file) => {
    if (file.name === "slow.jpg") await new Promise((go) => held.push(go));
    const made = await decode(file);
    if (file.name === "slow.jpg") globalThis.slow = made;
    return made;
  };
}"""


def test_a_late_image_does_not_replace_a_newer_one(page):
    page.page.evaluate(SLOW_DECODER)
    slow = {"name": "slow.jpg", "mimeType": "image/jpeg", "buffer": ASTRONAUT.read_bytes()}
    page.page.set_input_files("#image", slow)
    page.page.set_input_files("#image", white("b.png"))
    page.wait(lambda: page.text("#notice") == "Press Send.", "the other image")
    page.page.evaluate("held[0]()")
    page.wait(lambda: page.page.evaluate("globalThis.slow?.width === 0"), "the late one, closed")
    assert page.pixels().shape == (60, 90, 3)


def test_network_errors_are_distinguished(page):
    choose(page, "estimate_single_pose", str(ASTRONAUT))
    page.page.route("**/v1/*", lambda route: route.fulfill(status=502, body="<h1>Gateway</h1>"))
    page.page.click("#send")
    page.wait(lambda: "it is no JSON, with status 502" in page.text("#notice"), "the gateway")
    page.page.unroute("**/v1/*")
    page.page.route("**/v1/*", lambda route: route.abort())
    page.page.click("#send")
    page.wait(lambda: "The server does not answer" in page.text("#notice"), "no answer")
    page.page.route("**/openapi.json*", lambda route: route.abort())
    page.page.reload()
    page.wait(lambda: "The server does not answer" in page.text("#notice"), "no description")


def white(name):
    """A small file, which shows nobody."""
    file = io.BytesIO()
    Image.new("RGB", (90, 60), "white").save(file, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": file.getvalue()}


def test_no_person_is_found(page):
    choose(page, "estimate_multiple_poses", white("a.png"))
    page.page.click("#send")
    page.wait(lambda: page.text("#notice").startswith("Nothing found in "), "an answer")
    assert page.text("#answer") == "[]"


def test_every_option_of_every_function_has_a_field(page):
    described = page.server.ask("GET", "/openapi.json").document["paths"]
    for path, operations in described.items():
        page.page.select_option("#verb", path)
        names = page.page.eval_on_selector_all("#options [name]", "all => all.map((x) => x.name)")
        assert names == [each["name"] for each in operations["post"]["parameters"]]
        if "enum" in (schema := operations["post"]["parameters"][0]["schema"]):
            assert page.page.locator("[name=model] option").count() == len(schema["enum"])


def test_the_keyboard_is_enough(page):
    page.page.set_input_files("#image", str(ASTRONAUT))
    page.page.focus("#verb")
    page.page.keyboard.type("estimate_s")
    page.wait(lambda: "/estimate_single_pose" in page.text("#command"), "the function")
    for _ in range(2):
        page.page.keyboard.press("Tab")
    assert page.page.evaluate("document.activeElement.id") == "send"
    page.page.keyboard.press("Enter")
    page.wait(lambda: page.text("#notice").startswith("1 result in "), "an answer")
    page.check_clean()


def test_a_phone_shows_it_without_scrolling_sideways():
    with rest_running() as server, opened(server, size=(390, 844)) as found:
        found.wait(lambda: found.data.get("ready"), "the form")
        choose(found, "estimate_single_pose", str(ASTRONAUT))
        found.page.click("#send")
        found.wait(lambda: " ms" in found.text("#notice"), "an answer")
        assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
        place = found.page.locator("#picture").bounding_box()
        assert 0 <= place["y"] < 844 and place["width"] > 340


def test_the_token_of_the_address_is_used():
    with rest_running(token="right") as server, opened(server, "/?token=right") as found:
        found.wait(lambda: found.data.get("ready"), "the form")
        choose(found, "estimate_single_pose", str(ASTRONAUT))
        found.page.click("#send")
        found.wait(lambda: found.text("#notice").startswith("1 result in "), "an answer")
        assert "?token=right" in found.text("#command")
        assert found.page.get_attribute("#openapi", "href").endswith("/openapi.json?token=right")
        found.check_clean()
