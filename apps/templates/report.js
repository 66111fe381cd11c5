"use strict";
// Shows the evidence beside the edit or mark that it belongs to. It only copies what the page already holds, from the
// place where the link leads: without this script the reader goes there instead.
(() => {
  const NOTED = "a.edit, a.mark, a.ref";
  const OPEN_AFTER = 120, CLOSE_AFTER = 280; // milliseconds: time to pass over an edit, and to reach the note

  const note = document.createElement("aside");
  note.id = "note";
  note.tabIndex = -1;
  note.hidden = true;
  note.setAttribute("role", "dialog");
  note.setAttribute("aria-label", "Evidence");
  document.body.append(note);

  let owner = null; // the link whose note is open
  let pinned = false; // opened by a click: stays until it is closed
  let quiet = false; // focus is being given back, which is no reason to open again
  let timer = 0;

  const copy = (id) => {
    const article = document.getElementById(id).cloneNode(true);
    article.removeAttribute("id");
    for (const cite of article.querySelectorAll(".cite")) cite.replaceChildren(copy(cite.dataset.evidence));
    return article;
  };

  const content = (link) =>
    link.dataset.edits
      ? link.dataset.edits.split(" ").map((number) => copy(`edit-${number}`))
      : [copy(link.getAttribute("href").slice(1))];

  const place = (link, x) => {
    const edge = 12, gap = 8, enough = 280;
    // A link that wraps has a box on every line; take the one that the pointer is on.
    const boxes = [...link.getClientRects()];
    const box = boxes.find((one) => x >= one.left && x <= one.right) ?? boxes[0] ?? link.getBoundingClientRect();
    if (getComputedStyle(note).position === "fixed") {
      // A small screen: the note lies along its lower edge, and the link should not lie beneath it.
      scrollBy(0, Math.max(0, link.getBoundingClientRect().bottom + gap - note.getBoundingClientRect().top));
      return;
    }
    const above = box.top - gap - edge, below = innerHeight - box.bottom - gap - edge;
    note.style.maxHeight = ""; // to see how high it would like to be
    const under = below >= Math.min(note.offsetHeight, enough) || below >= above;
    note.style.maxHeight = `${Math.min(note.offsetHeight, under ? below : above)}px`;
    const left = Math.max(edge, Math.min(box.left, document.documentElement.clientWidth - note.offsetWidth - edge));
    note.style.left = `${left + scrollX}px`;
    note.style.top = `${scrollY + (under ? box.bottom + gap : box.top - gap - note.offsetHeight)}px`;
  };

  const mark = (link, on) => {
    link.classList.toggle("active", on);
    if (!link.dataset.edits) return;
    for (const twin of document.querySelectorAll(`a.edit[data-edits="${link.dataset.edits}"]`))
      twin.classList.toggle("active", on);
  };

  const close = () => {
    clearTimeout(timer);
    if (!owner) return;
    mark(owner, false);
    owner = null;
    pinned = false;
    note.hidden = true;
    note.replaceChildren();
  };

  const open = (link, pin, x) => {
    clearTimeout(timer);
    if (owner !== link) {
      close();
      owner = link;
      mark(link, true);
      const button = document.createElement("button");
      button.type = "button";
      button.className = "close";
      button.setAttribute("aria-label", "Close");
      button.addEventListener("click", giveBack);
      note.replaceChildren(button, ...content(link));
      note.hidden = false;
      note.scrollTop = 0;
      place(link, x);
    }
    pinned ||= pin;
  };

  const giveBack = () => {
    const link = owner;
    close();
    quiet = true;
    link?.focus();
    quiet = false;
  };

  const later = (action, delay) => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };

  const noted = (target) => {
    const link = target instanceof Element ? target.closest(NOTED) : null;
    return link && !note.contains(link) ? link : null;
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch" || pinned) return;
    const link = noted(event.target);
    if (link) later(() => open(link, false, event.clientX), OPEN_AFTER);
    else if (note.contains(event.target)) clearTimeout(timer);
    else if (owner !== document.activeElement) later(close, CLOSE_AFTER);
  });

  document.addEventListener("focusin", (event) => {
    const link = noted(event.target);
    if (link && !quiet && link.matches(":focus-visible")) open(link, false);
    else if (!link && !note.contains(event.target)) close();
  });

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = noted(event.target);
    if (link) {
      event.preventDefault();
      if (owner === link && pinned) return giveBack();
      open(link, true, event.clientX);
      if (event.detail === 0) note.focus(); // from the keyboard
    } else if (!note.contains(event.target) || event.target.closest("a[href^='#']")) close();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return giveBack();
    if (event.key !== "Tab" || !note.contains(document.activeElement)) return;
    // The note stands at the end of the page; who tabs out of it goes on where they came from.
    const stops = [note, ...note.querySelectorAll("a[href], button, summary")];
    const last = event.shiftKey ? document.activeElement === note : document.activeElement === stops.at(-1);
    if (last) giveBack();
  });

  addEventListener("resize", () => owner && place(owner));
})();
