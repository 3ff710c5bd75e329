// The page of `zoo serve`: a form for each function, made of the server's own description.

const element = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");

function address(path, options = {}) {
  const url = new URL(path, location.href);
  for (const [name, value] of Object.entries(options)) url.searchParams.append(name, value);
  if (token) url.searchParams.set("token", token);
  return url;
}

const description = await (await fetch(address("openapi.json"))).json();
element("about").textContent = description.info.description.replaceAll("`", "");
element("openapi").href = address("openapi.json");
const verbs = element("verb");
for (const path of Object.keys(description.paths)) verbs.add(new Option(path.replace("/v1/", ""), path));

function show() {
  const options = element("options");
  options.replaceChildren();
  for (const { name, description: meaning } of description.paths[verbs.value].post.parameters ?? []) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { name, type: "text", placeholder: meaning });
    label.append(name, " ", input);
    options.append(Object.assign(document.createElement("p"), {}));
    options.lastChild.append(label);
  }
  command();
}

function given() {
  const inputs = [...element("options").querySelectorAll("input")];
  return Object.fromEntries(inputs.filter((input) => input.value).map((input) => [input.name, input.value]));
}

function command() {
  const url = address(verbs.value, given());
  element("command").textContent = `curl --data-binary @photo.jpg '${url}'`;
}

verbs.onchange = show;
element("options").oninput = command;
element("request").onsubmit = async (event) => {
  event.preventDefault();
  const answer = await fetch(address(verbs.value, given()), { method: "POST", body: element("image").files[0] });
  element("answer").textContent = JSON.stringify(await answer.json(), null, 1).slice(0, 20000);
};
show();
