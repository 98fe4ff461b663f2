(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const root = document.documentElement;
  const tip = document.getElementById("tip");
  const isState = location.hash.includes("=");
  const state = new URLSearchParams(isState ? location.hash.slice(1) : "");
  const hidden = new Set((state.get("hide") || "").split(",").filter(Boolean));
  const save = () => {
    if (hidden.size) state.set("hide", [...hidden].join(",")); else state.delete("hide");
    const text = state.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };

  // Themes: automatic, light, dark; kept in the address.
  const showTheme = () => all("[data-theme-choice]").forEach((button) =>
    button.setAttribute("aria-pressed", button.dataset.themeChoice === (root.dataset.theme || "auto")));
  all("[data-theme-choice]").forEach((button) => button.addEventListener("click", () => {
    const theme = button.dataset.themeChoice;
    if (theme === "auto") { delete root.dataset.theme; state.delete("theme"); }
    else { root.dataset.theme = theme; state.set("theme", theme); }
    showTheme();
    save();
  }));
  showTheme();

  // Curves: shown and hidden on every chart at once; kept in the address.
  const showCurves = () => {
    all("g[data-series]").forEach((g) => g.toggleAttribute("hidden", hidden.has(g.dataset.series)));
    all(".chip[data-series]").forEach((chip) => chip.setAttribute("aria-pressed", !hidden.has(chip.dataset.series)));
    all("[data-all]").forEach((chip) => { chip.hidden = hidden.size === 0; });
  };
  const highlight = (id) => {
    all("svg.chart").forEach((svg) => svg.classList.toggle("focus", id !== null));
    all("g[data-series]").forEach((g) => g.classList.toggle("hot", g.dataset.series === id));
  };
  all(".chip[data-series]").forEach((chip) => {
    const id = chip.dataset.series;
    chip.addEventListener("click", () => { if (!hidden.delete(id)) hidden.add(id); showCurves(); save(); });
    chip.addEventListener("pointerenter", () => { if (!hidden.has(id)) highlight(id); });
    chip.addEventListener("pointerleave", () => highlight(null));
  });
  all("[data-all]").forEach((chip) => chip.addEventListener("click", () => { hidden.clear(); showCurves(); save(); }));
  showCurves();

  // The value nearest to the pointer: of elements that stand for one value, and of curves, whose points are those of their line.
  const points = (svg) => {
    const found = all(".pt", svg).map((point) => {
      const box = point.getBoundingClientRect();
      return { box, tip: point.dataset.tip, series: point.parentNode.dataset.series };
    });
    const matrix = svg.getScreenCTM();
    const sizes = (svg.dataset.at || "").split("|");
    for (const curve of all("g[data-values]:not([hidden])", svg)) {
      const numbers = curve.querySelector(".line").getAttribute("d").match(/-?[0-9.]+/g) || [];
      let place = 0;
      curve.dataset.values.split("|").forEach((value, index) => {
        if (!value) return;
        const [x, y] = [numbers[place++], numbers[place++]];
        const at = new DOMPoint(Number(x), Number(y)).matrixTransform(matrix);
        const tip = `${curve.dataset.label}\n${value} ${svg.dataset.unit} at ${sizes[index]}`;
        found.push({ box: new DOMRect(at.x - 3, at.y - 3, 6, 6), tip, series: curve.dataset.series });
      });
    }
    return found.filter(({ box }) => box.width || box.height);
  };
  all("svg.chart").forEach((svg) => {
    let known = null;
    svg.addEventListener("pointerenter", () => { known = points(svg); });
    svg.addEventListener("pointermove", (event) => {
      let best = null;
      let least = 60;
      for (const point of known || (known = points(svg))) {
        const dx = Math.max(point.box.left - event.clientX, 0, event.clientX - point.box.right);
        const dy = Math.max(point.box.top - event.clientY, 0, event.clientY - point.box.bottom);
        const distance = Math.hypot(dx, dy);
        if (distance < least) { least = distance; best = point; }
      }
      tip.hidden = best === null;
      highlight(best && best.series || null);
      if (!best) return;
      tip.textContent = best.tip;
      const left = Math.min(best.box.right + 12, root.clientWidth - tip.offsetWidth - 8);
      tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, best.box.top - tip.offsetHeight - 8)}px)`;
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; highlight(null); known = null; });
  });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // Tables: each heading becomes a button that sorts by its column; missing figures stay last.
  all("table.sortable").forEach((table) => all("thead th", table).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    const value = (row) => {
      const cell = row.cells[column];
      if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
      if (cell.classList.contains("absent")) return null;
      const text = cell.textContent;
      const number = heading.classList.contains("n") && text.trim() ? Number(text.replaceAll(",", "")) : undefined;
      return Number.isFinite(number) ? number : text;
    };
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("n");
      const before = heading.getAttribute("aria-sort");
      const sign = (before ? before === "ascending" : numeric) ? -1 : 1;
      all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = all("tbody tr", table).map((row) => [value(row), row]);
      rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
        : sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true })));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  }));

  // Downloads, the command line, links within the page.
  const files = () => {
    const packed = atob(document.getElementById("files").textContent.trim());
    const stream = new Blob([Uint8Array.from(packed, (byte) => byte.charCodeAt(0))]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).json();
  };
  all("[data-download]").forEach((button) => button.addEventListener("click", async () => {
    const text = (await files())[button.dataset.download];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = button.dataset.download;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }));
  all("[data-copy]").forEach((button) => button.addEventListener("click", () => {
    const code = button.parentNode.querySelector("code");
    getSelection().selectAllChildren(code);
    if (document.execCommand("copy")) button.textContent = "Copied";
  }));
  const show = (id) => document.getElementById(id)?.scrollIntoView();
  all('a[href^="#"]').forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    state.set("at", link.hash.slice(1));
    save();
    show(link.hash.slice(1));
  }));
  if (state.has("at")) show(state.get("at"));
  all(".tools, [data-copy]").forEach((element) => { element.hidden = false; });
})();
