"use strict";
// Sends the text, shows what happens, and keeps what the person decides. What it shows was escaped by the server; the
// text with their decisions is put together from pieces that the server cut.
(() => {
  const at = (id) => document.getElementById(id);
  const form = at("ask"), method = at("method"), files = at("files"), result = at("result");
  let chosen = []; // files
  let running = null; // what can abort the run
  let done = null; // what the last run came to

  const problem = (line) => {
    at("problem").textContent = line;
    at("problem").hidden = !line;
  };

  // What can be asked for
  const offered = () => {
    const kind = form.elements.kind.value, text = form.elements.input;
    at("input-label").textContent = kind === "text" ? "Text to check" : "Question to answer";
    text.placeholder = kind === "text" ? "Paste the text here." : "Ask a question. The answer is drafted, and then checked.";
    for (const option of method.options) option.disabled = option.hidden = !option.dataset.takes.split(" ").includes(kind);
    if (method.selectedOptions[0].disabled) method.value = "";
    at("method-hint").textContent = method.selectedOptions[0].dataset.about.replaceAll("`", "");
  };

  const listed = () => {
    at("chosen").replaceChildren(...chosen.map((file) => {
      const row = document.createElement("li"), name = document.createElement("bdi");
      const size = document.createElement("span"), out = document.createElement("button");
      name.textContent = file.name;
      size.textContent = `${Math.max(1, Math.round(file.size / 1000)).toLocaleString("en")} kB`;
      size.className = "count";
      out.type = "button";
      out.textContent = "Remove";
      out.setAttribute("aria-label", `Remove ${file.name}`);
      out.addEventListener("click", () => {
        chosen = chosen.filter((other) => other !== file);
        listed();
        files.focus();
      });
      row.append(name, size, out);
      return row;
    }));
  };

  const add = (more) => {
    chosen.push(...more);
    files.value = ""; // so that the same file can be chosen again
    listed();
  };

  // A run
  const base64 = (file) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, data: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => reject(new Error(`${file.name} can't be read: choose it again`));
    reader.readAsDataURL(file);
  });

  const asked = (path, body, signal) => fetch(path, {
    method: "POST", body: JSON.stringify(body), signal, headers: { "Content-Type": "application/json" },
  }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server can't be reached. Is it still running?");
  });

  const refusal = async (answer) => {
    if (answer.status === 401) return "The server asks for its key: load this page again.";
    const body = await answer.json().catch(() => ({}));
    return typeof body.detail === "string" ? body.detail : `The server answered with status ${answer.status}.`;
  };

  async function* events(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done: over } = await reader.read().catch((error) => {
        throw error.name === "AbortError" ? error : new Error("The connection to the server was lost. Try again.");
      });
      if (over) return;
      const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 2)]));
        if (fields.event) yield { name: fields.event, data: JSON.parse(fields.data) };
      }
    }
  }

  const told = (step, line) => {
    let row = at("steps").querySelector(`[data-step="${CSS.escape(step)}"]`);
    if (!row) {
      row = document.createElement("li");
      row.dataset.step = step;
      row.append(document.createElement("b"), document.createElement("bdi"));
      row.firstChild.textContent = step;
      at("steps").append(row);
    }
    if (line) row.lastChild.textContent = line;
  };

  const run = async (signal) => {
    const kind = form.elements.kind.value, choice = method.selectedOptions[0];
    const name = choice.value || (chosen.length ? choice.dataset.withFiles : choice.dataset.alone);
    if (chosen.length) told("documents", `${chosen.length} to read`);
    const body = { input: { [kind]: form.elements.input.value }, files: await Promise.all(chosen.map(base64)) };
    const answer = await asked(`${name}/watch`, body, signal);
    if (!answer.ok) throw new Error(await refusal(answer));
    for await (const { name: event, data } of events(answer)) {
      if (event === "step") told(data.step, data.line), (at("writing").textContent = "");
      else if (event === "writing") at("writing").textContent += data.text;
      else if (event === "error") throw new Error(data.detail);
      else if (event === "result") return { ...data, method: name, question: body.input.question ?? "" };
    }
    throw new Error("The server ended the run. Try again.");
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (running) return;
    running = new AbortController();
    problem("");
    at("steps").replaceChildren();
    at("writing").textContent = "";
    result.hidden = true;
    result.replaceChildren();
    at("progress").hidden = false;
    form.querySelector(".primary").disabled = true;
    at("cancel").focus();
    try {
      done = await run(running.signal);
      result.innerHTML = done.html;
      result.hidden = false;
      at("verdict").focus();
    } catch (error) {
      problem(error.name === "AbortError" ? "Cancelled." : error.message);
      form.elements.input.focus();
    } finally {
      running = null;
      at("progress").hidden = true;
      form.querySelector(".primary").disabled = false;
    }
  });
  at("cancel").addEventListener("click", () => running?.abort());

  // Decisions
  const unwanted = () => [...result.querySelectorAll('[value="reject"]:checked')].map((radio) => Number(radio.name.split("-")[1]));
  const text = () => {
    const out = new Set(unwanted());
    return done.pieces.map((piece) => (out.has(piece.change) ? piece.before : piece.after)).join("");
  };
  const decided = () => {
    const out = new Set(unwanted());
    for (const each of result.querySelectorAll("[data-change]")) each.classList.toggle("rejected", out.has(Number(each.dataset.change)));
    for (const each of result.querySelectorAll(".sentence")) {
      const article = at("source").querySelector(`article[data-sentence="${each.dataset.sentence}"]`);
      article.classList.toggle("rejected", each.querySelector(".unit.rejected") !== null);
    }
  };
  const said = (line) => (at("said").textContent = line);

  const copy = async () => {
    await navigator.clipboard.writeText(text()).then(() => said("Copied."), () => said("The browser doesn't allow copying here."));
  };
  const report = async () => {
    const { method: name, result: came, settings, question } = done;
    const body = { result: came, settings, question, rejected: unwanted() };
    try {
      const answer = await asked(`${name}/report`, body);
      if (!answer.ok) throw new Error(await refusal(answer));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = "errata-report.html";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      said("Saved.");
    } catch (error) {
      said(error.message);
    }
  };

  // What a sentence rests on
  let owner = null;
  const close = (back) => {
    if (!owner) return;
    const was = owner;
    owner = null;
    was.removeAttribute("aria-expanded");
    at("source").hidden = true;
    if (back) was.focus();
  };
  const open = (sentence) => {
    if (owner === sentence) return close(true);
    close();
    owner = sentence;
    sentence.setAttribute("aria-expanded", "true");
    const source = at("source"), lines = sentence.getClientRects(), around = source.parentElement.getBoundingClientRect();
    for (const each of source.querySelectorAll("article")) each.hidden = each.dataset.sentence !== sentence.dataset.sentence;
    source.hidden = false;
    source.scrollTop = 0;
    const last = lines[lines.length - 1];
    source.style.top = `${last.bottom - around.top + 8}px`;
    source.style.left = `${Math.max(0, Math.min(last.left - around.left, around.width - source.offsetWidth))}px`;
    source.focus({ preventScroll: true });
    if (getComputedStyle(source).position === "fixed") {
      // A small screen: what is read about should not lie beneath what is said of it.
      scrollBy(0, Math.max(0, last.bottom + 8 - source.getBoundingClientRect().top));
    } else source.scrollIntoView({ block: "nearest" });
  };

  result.addEventListener("click", (event) => {
    const target = event.target, sentence = target.closest(".sentence"), all = target.closest("[data-all]");
    const link = target.closest('a[href^="#"]');
    if (link) {
      const place = document.getElementById(link.getAttribute("href").slice(1));
      if (!place) return;
      event.preventDefault();
      close();
      place.closest("details")?.setAttribute("open", "");
      place.tabIndex = -1;
      place.focus();
      place.scrollIntoView({ block: "center" });
    } else if (sentence && getSelection().isCollapsed) open(sentence);
    else if (target.closest(".close")) close(true);
    else if (all) {
      for (const radio of result.querySelectorAll(`[value="${all.dataset.all}"]`)) radio.checked = true;
      decided();
    } else if (target.id === "copy") copy();
    else if (target.id === "report") report();
  });
  result.addEventListener("change", decided);
  const shown = (event, on) => {
    const number = event.target.closest?.(".card[data-change]")?.dataset.change;
    for (const unit of result.querySelectorAll(".unit")) unit.classList.toggle("active", on && unit.dataset.change === number);
  };
  result.addEventListener("pointerover", (event) => shown(event, true));
  result.addEventListener("focusin", (event) => shown(event, true));
  document.addEventListener("pointerdown", (event) => {
    if (owner && !at("source").contains(event.target) && !owner.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(true);
    if (event.key === "Tab" && owner && at("source").contains(event.target)) {
      // It stands at the end: who tabs out of it goes on where they came from.
      const stops = [at("source"), ...at("source").querySelectorAll("a[href], button, summary")];
      const there = stops.filter((stop) => stop.checkVisibility());
      if (event.target === (event.shiftKey ? there[0] : there.at(-1))) close(true);
    }
    if (!["Enter", " "].includes(event.key) || !event.target.matches?.(".sentence")) return;
    event.preventDefault();
    open(event.target);
  });
  files.addEventListener("change", () => add(files.files));
  form.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    add(event.dataTransfer.files);
  });
  form.addEventListener("change", offered);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  offered();
})();
