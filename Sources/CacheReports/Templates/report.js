(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const button = (text, click) => {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", click);
    return made;
  };
  const page = document.documentElement;
  const tip = document.getElementById("tip");
  const folds = all("details");
  const charts = all("svg.chart");

  // What the reader chose stands in the address, so that a link shows the same view.
  const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const chosen = (name) => (state.get(name) || "").split(",").filter(Boolean);
  const keep = (name, value) => {
    if ((state.get(name) || "") === value) return;
    if (value) state.set(name, value); else state.delete(name);
    const text = state.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };
  addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });

  // A group of buttons, one of which is pressed; the first is the usual one, and the address says another.
  const choice = (label, name, options, changed) => {
    const group = make("div", { className: "choice", role: "group", ariaLabel: label });
    const show = () => all("button", group).forEach((one) => { one.ariaPressed = one.value === (state.get(name) || ""); });
    for (const [value, text, title = ""] of options) {
      const one = button(text, () => { keep(name, value); show(); changed(); });
      Object.assign(one, { value, title });
      group.append(one);
    }
    show();
    return group;
  };

  // A field for a text that the address keeps.
  const search = (label, name, changed) => {
    const input = make("input", { type: "search", placeholder: label.split(":")[0], ariaLabel: label });
    input.value = state.get(name) || "";
    input.addEventListener("input", () => { keep(name, input.value.trim()); changed(input.value.trim()); });
    return input;
  };

  // Themes: automatic, light, dark.
  const showTheme = () => all("[data-theme-choice]").forEach((one) => {
    one.ariaPressed = one.dataset.themeChoice === (page.dataset.theme || "auto");
  });
  all("[data-theme-choice]").forEach((one) => one.addEventListener("click", () => {
    const theme = one.dataset.themeChoice === "auto" ? "" : one.dataset.themeChoice;
    if (theme) page.dataset.theme = theme; else delete page.dataset.theme;
    showTheme();
    keep("theme", theme);
  }));
  showTheme();

  // Curves: the legend shows and hides them on every chart at once.
  const hidden = new Set(chosen("hide"));
  const chips = all(".chip[data-series]");
  const isFound = (chip) => chip.textContent.toLowerCase().includes((state.get("find") || "").toLowerCase());
  const showCurves = () => {
    const gone = new Set(hidden);
    for (const chip of chips) {
      chip.ariaPressed = !hidden.has(chip.dataset.series);
      chip.hidden = !isFound(chip);
      if (chip.hidden) gone.add(chip.dataset.series);
    }
    all("g[data-series]").forEach((g) => g.toggleAttribute("hidden", gone.has(g.dataset.series)));
    all("[data-all]").forEach((one) => { one.hidden = gone.size === 0; });
  };
  const hide = (change) => {
    change();
    keep("hide", [...hidden].join(","));
    showCurves();
  };
  const highlight = (id) => {
    charts.forEach((svg) => svg.classList.toggle("focus", id !== null));
    all("g[data-series]").forEach((g) => g.classList.toggle("hot", g.dataset.series === id));
  };
  const only = (id) => hide(() => {
    chips.forEach((chip) => hidden.add(chip.dataset.series));
    hidden.delete(id);
  });
  for (const chip of chips) {
    const id = chip.dataset.series;
    chip.title = "Shows and hides; a double click, or Shift, shows only this";
    chip.addEventListener("click", (event) => {
      if (event.shiftKey) only(id); else hide(() => hidden.delete(id) || hidden.add(id));
    });
    chip.addEventListener("dblclick", () => only(id));
    chip.addEventListener("pointerenter", () => { if (!hidden.has(id)) highlight(id); });
    chip.addEventListener("pointerleave", () => highlight(null));
  }

  // Charts of a hit ratio: of hits or misses, on a linear axis, one from 0, or a logarithmic one. The page draws hits on a linear
  // one, which may leave out what lies outside data-domain, and every other view begins with that drawing.
  const heading = (svg) => svg.closest(".card")?.querySelector("h3, h4");
  const ratios = charts.filter((svg) => svg.dataset.unit === "%" && /hit ratio/i.test(heading(svg)?.textContent));
  const drawn = new Map(ratios.map((svg) => [svg, { title: heading(svg).textContent, label: svg.ariaLabel }]));
  const isMiss = () => state.get("ratio") === "miss";
  const isLog = () => state.get("axis") === "log";
  const isWhole = () => state.get("axis") === "whole";
  const isInDomain = (svg, text) => {
    const [low, high] = isWhole() || !svg.dataset.domain ? [0, 100] : svg.dataset.domain.split("|").map(Number);
    return text >= low && text <= high;
  };
  const valueText = (svg, text) => drawn.has(svg) && isMiss() ? (100 - text).toFixed(2) : text;
  const isDrawn = (svg, text) => text && !(drawn.has(svg) && isLog() && valueText(svg, text) <= 0);
  const texts = (g) => g.dataset.values.split("|").filter(Boolean);
  const numbers = (path) => (path.getAttribute("d").match(/-?[0-9.]+/g) || []).map(Number);
  const steps = [1, 2, 5, 10];
  const axis = (values) => {
    const most = Math.max(...values, 0.01);
    const least = Math.min(...values, most);
    const decade = (value) => 10 ** Math.floor(Math.log10(value) + 1e-9);
    if (!isLog()) {
      const step = steps.map((step) => step * decade(most / 5)).find((step) => step * 5 >= most * 0.999999);
      const top = Math.ceil(most / step - 1e-9);
      return { ticks: Array.from({ length: top + 1 }, (_, i) => i * step), place: (value) => value / (top * step) };
    }
    const low = steps.map((step) => step * decade(least)).findLast((tick) => tick <= least * 1.000001);
    const high = steps.map((step) => step * decade(most)).find((tick) => tick >= most * 0.999999);
    const top = high > low ? high : low * 10;
    let ticks = [];
    for (let power = decade(low); power <= top; power *= 10) ticks.push(...steps.slice(0, 3).map((step) => step * power));
    ticks = ticks.filter((tick) => tick > low * 0.999 && tick < top * 1.001);
    if (ticks.length > 10) ticks = ticks.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-6);
    return { ticks, place: (value) => Math.log(value / low) / Math.log(top / low) };
  };
  const redraw = (svg) => {
    const before = drawn.get(svg);
    const missed = (text) => isMiss() ? text.replace("Hit ratio", "Miss ratio").replace("hit ratio", "miss ratio") : text;
    heading(svg).textContent = missed(before.title);
    svg.ariaLabel = missed(before.label);
    if (before.content) svg.innerHTML = before.content; else before.content = svg.innerHTML;
    if (!isMiss() && !isLog() && !isWhole()) return;
    if (isWhole()) all("[clip-path], .off", svg).forEach((element) => {
      if (element.matches(".off")) element.remove(); else element.removeAttribute("clip-path");
    });
    const get = (element, name) => Number(element.getAttribute(name));
    const set = (element, attributes) => Object.entries(attributes).forEach((pair) => element.setAttribute(...pair));
    const rules = all("line.grid, line.zero:not([stroke-dasharray])", svg)
      .filter((line) => get(line, "y1") === get(line, "y2"));
    const labels = all('.tick[text-anchor="end"]', svg);
    const [bottom, top] = [Math.max, Math.min].map((of) => of(...rules.map((line) => get(line, "y1"))));
    const curves = all("g[data-values]", svg);
    const shown = (text) => isDrawn(svg, text) ? Number(valueText(svg, text)) : null;
    const { ticks, place } = axis(curves
      .flatMap((g) => texts(g).filter((text) => isInDomain(svg, text)).map(shown)).filter((value) => value !== null));
    const y = (value) => +(bottom - place(value) * (bottom - top)).toFixed(1);
    // The level of a target, which only its place tells.
    for (const line of all("line.zero[stroke-dasharray]", svg)) {
      const [first, last] = [labels[0], labels.at(-1)].map((label) => [get(label, "y") - 4, parseFloat(label.textContent)]);
      const value = first[1] + (get(line, "y1") - first[0]) / (last[0] - first[0]) * (last[1] - first[1]);
      const at = y(Math.max(isMiss() ? 100 - value : value, isLog() ? 1e-9 : 0));
      line.toggleAttribute("hidden", at > bottom || at < top);
      set(line, { y1: at, y2: at });
    }
    for (const tick of ticks) {
      const [line, label] = [rules[0].cloneNode(), labels[0].cloneNode()];
      set(line, { class: tick ? "grid" : "zero", y1: y(tick), y2: y(tick) });
      set(label, { y: y(tick) + 4 });
      label.textContent = `${+tick.toPrecision(3)}%`;
      svg.prepend(line, label);
    }
    [...rules, ...labels].forEach((element) => element.remove());
    const names = [];
    for (const g of curves) {
      const [line, mark, leader, name] = [".line", ".mark", ".leader", ".name"].map((part) => g.querySelector(part));
      const old = numbers(line);
      const letters = line.getAttribute("d").match(/[ML]/g) || [];
      const marks = mark.getAttribute("d").match(/M[^M]*/g) || [];
      let [path, markers, last, isFirst] = ["", "", null, true];
      texts(g).forEach((text, index) => {
        const value = shown(text);
        if (value === null) return;
        last = [old[2 * index], y(value)];
        path += `${isFirst ? "M" : letters[index]}${last[0]} ${last[1]}`;
        const moved = (_, x, from) => `M${x} ${+(from - old[2 * index + 1] + last[1]).toFixed(1)}`;
        markers += marks[index].replace(/^M(\S+) (-?[0-9.]+)/, moved);
        isFirst = false;
      });
      set(line, { d: path });
      set(mark, { d: markers });
      if (name && last) names.push({ leader, name, last, at: last[1] });
      else [leader, name].forEach((element) => element?.remove());
    }
    // Names move so that none overlaps another: down from the top, then up from the bottom.
    names.sort((a, b) => a.at - b.at);
    const gap = Math.min(14, (bottom - top + 14) / names.length);
    names.reduce((floor, entry) => (entry.at = Math.max(entry.at, floor)) + gap, top - 4);
    names.reduceRight((ceiling, entry) => (entry.at = Math.min(entry.at, ceiling)) - gap, bottom + 6);
    for (const { leader, name, last, at } of names) {
      set(leader, { d: `M${last[0] + 5} ${last[1]}L${get(name, "x") - 4} ${at}` });
      set(name, { y: at + 4 });
    }
  };
  const redrawAll = () => { ratios.forEach(redraw); showCurves(); };

  // The legend's own controls: a filter, its order, and the views of ratios.
  const legend = document.querySelector(".legend") || make("div", { className: "legend" });
  const controls = make("div", { className: "controls" });
  const results = new Map();
  for (const svg of ratios.filter((svg) => /^hit/i.test(drawn.get(svg).title))) {
    for (const g of all("g[data-values]", svg)) {
      const known = results.get(g.dataset.series) || [];
      results.set(g.dataset.series, known.concat(texts(g).map(Number)));
    }
  }
  const mean = (id) => {
    const values = results.get(id) || [];
    return values.length ? values.reduce((sum, value) => sum + value) / values.length : -1;
  };
  const order = () => {
    const text = (chip) => chip.textContent;
    chips.sort((a, b) => state.get("order") !== "name" && mean(b.dataset.series) - mean(a.dataset.series)
      || text(a).localeCompare(text(b), "en", { numeric: true }));
    chips[0].parentNode.prepend(...chips);
  };
  if (chips.length > 8) controls.append(search("Filter curves", "find", showCurves));
  if (chips.length && results.size) {
    controls.append(choice("Order of the legend", "order", [["", "By result"], ["name", "By name"]], order));
    order();
  }
  if (ratios.length) {
    controls.append(
      choice("Ratio", "ratio", [["", "Hits"], ["miss", "Misses"]], redrawAll),
      choice("Axis", "axis", [["", "Linear"], ...(ratios.some((svg) => svg.dataset.domain)
        ? [["whole", "From 0", "All curves, from 0"]] : []),
        ["log", "Logarithmic", "A ratio of 0 has no place on it"]], redrawAll));
    if (!legend.isConnected) ratios[0].closest("section").before(legend);
  }
  if (controls.children.length) legend.prepend(controls);
  all("[data-all]").forEach((one) => one.addEventListener("click", () => {
    keep("find", "");
    all("input", controls).forEach((find) => { find.value = ""; });
    hide(() => hidden.clear());
  }));
  if (isMiss() || isLog() || isWhole()) redrawAll(); else showCurves();

  // The value nearest to the pointer: of elements that stand for one value, and of curves, whose points are on their line.
  const points = (svg) => {
    const found = all(".pt", svg).map((point) => {
      const box = point.getBoundingClientRect();
      return { box, tip: point.dataset.tip, series: point.parentNode.dataset.series };
    });
    const matrix = svg.getScreenCTM();
    const sizes = (svg.dataset.at || "").split("|");
    for (const curve of all("g[data-values]:not([hidden])", svg)) {
      const places = numbers(curve.querySelector(".line"));
      curve.dataset.values.split("|").forEach((value, index) => {
        if (!isDrawn(svg, value)) return;
        const at = new DOMPoint(places.shift(), places.shift()).matrixTransform(matrix);
        const tip = `${curve.dataset.label}\n${valueText(svg, value)} ${svg.dataset.unit} at ${sizes[index]}`;
        found.push({ box: new DOMRect(at.x - 3, at.y - 3, 6, 6), tip, series: curve.dataset.series });
      });
    }
    return found.filter(({ box }) => box.width || box.height);
  };
  charts.forEach((svg) => {
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
      const left = Math.min(best.box.right + 12, page.clientWidth - tip.offsetWidth - 8);
      tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, best.box.top - tip.offsetHeight - 8)}px)`;
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; highlight(null); known = null; });
  });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // Thousands of samples of lines, which say nothing aloud.
  all(".swatch").forEach((sample) => sample.setAttribute("aria-hidden", "true"));

  // Tables: each heading becomes a button that sorts by its column, where missing figures stay last; long ones get a filter.
  const above = (table, ...controls) =>
    (table.closest(".scroll") || table).before(make("div", { className: "controls" }, ...controls));
  const cellText = (cell) => {
    const copy = cell.cloneNode(true);
    all("small", copy).forEach((note) => note.remove());
    return copy.textContent.trim();
  };
  const cellValue = (cell, isNumeric) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    if (cell.classList.contains("absent")) return null;
    const text = cellText(cell);
    if (/^[\d.]+ %$/.test(text)) return parseFloat(text) / 100;
    const number = isNumeric && text ? Number(text.replaceAll(",", "")) : undefined;
    return Number.isFinite(number) ? number : text;
  };
  const sort = (table, column, sign) => {
    const headings = all("thead th", table);
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    headings[column].ariaSort = sign > 0 ? "ascending" : "descending";
    const isNumeric = headings[column].classList.contains("n");
    const rows = [...table.tBodies[0].rows].map((row) => [cellValue(row.cells[column], isNumeric), row]);
    const isBefore = new Intl.Collator("en", { numeric: true }).compare;
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
      : sign * (typeof a === "number" && typeof b === "number" ? a - b : isBefore(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  const sorted = new Map(chosen("sort").map((text) => [parseInt(text), text]));
  const filterRows = (table, text, count) => {
    const words = text.toLowerCase().split(/\s+/);
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => { row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)); });
    count.textContent = text ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  };
  all("table.sortable").forEach((table, index) => {
    all("thead th", table).forEach((heading, column) => {
      heading.replaceChildren(button(heading.textContent, () => {
        const isAscending = heading.ariaSort ? heading.ariaSort === "descending" : !heading.classList.contains("n");
        sort(table, column, isAscending ? 1 : -1);
        sorted.set(index, `${index}.${column}${isAscending ? "a" : "d"}`);
        keep("sort", [...sorted.values()].join(","));
      }));
    });
    const [, column, sign] = /^\d+\.(\d+)([ad])$/.exec(sorted.get(index)) || [];
    if (column < table.tHead.rows[0].cells.length) sort(table, Number(column), sign === "a" ? 1 : -1);
    if (table.tBodies[0].rows.length < 8) return;
    const name = `rows${index}`;
    const count = make("span", { role: "status" });
    const filter = search(`Filter rows: ${table.caption?.textContent || ""}`, name, (text) => filterRows(table, text, count));
    above(table, filter, count);
    if (filter.value) filterRows(table, filter.value, count);
  });

  // Heat maps: <table class="heat" data-at="1%|5%"> with <td data-values="18.57|33.05">, a value for each of data-at in
  // percent, empty where there is none. A select chooses the capacity, a group of buttons the rank or the hit ratio; colours
  // compare the policies of a column, --h from 0 for the worst to 1 for the best. A cell without data-values stays as it is.
  all("table.heat[data-at]").forEach((table, number) => {
    const sizes = make("select", {}, ...table.dataset.at.split("|").map((text) => make("option", {}, text)));
    const [at, by] = [`heat${number}`, `heatby${number}`];
    const paint = () => {
      const rows = [...table.tBodies[0].rows];
      for (let column = 1; column < rows[0].cells.length; column++) {
        const cells = rows.map((row) => row.cells[column]).filter((cell) => cell.dataset.values !== undefined);
        const texts = cells.map((cell) => cell.dataset.values.split("|")[sizes.selectedIndex]);
        const values = texts.map((text) => text ? Number(text) : null);
        const present = values.filter((value) => value !== null);
        const [least, most] = [Math.min(...present), Math.max(...present)];
        cells.forEach((cell, row) => {
          const value = values[row];
          const rank = 1 + present.filter((other) => other > value).length;
          const isRank = state.get(by) !== "ratio";
          const heat = isRank ? 1 - (rank - 1) / Math.max(present.length - 1, 1) : (value - least) / (most - least || 1);
          cell.className = value === null ? "absent" : rank === 1 ? "best" : "";
          cell.textContent = value === null ? "–" : isRank ? rank : `${value.toFixed(2)} %`;
          cell.title = value === null ? "" : `${value.toFixed(2)} %, rank ${rank} of ${present.length}`;
          if (value === null) delete cell.dataset.v; else cell.dataset.v = isRank ? rank : value;
          cell.style.setProperty("--h", value === null ? 0 : heat.toFixed(2));
        });
      }
    };
    sizes.selectedIndex = Math.min(Number(state.get(at)) || 0, sizes.options.length - 1);
    sizes.addEventListener("change", () => { keep(at, String(sizes.selectedIndex || "")); paint(); });
    const ways = choice("Colour and number", by, [["", "Rank"], ["ratio", "Hit ratio"]], paint);
    above(table, make("label", {}, "Capacity ", sizes), ways);
    paint();
  });

  // Costs: <section class="cost" data-requests="6000"> with <input type="number" name="gib">, the price of a GiB for a month,
  // and <input type="number" name="miss">, that of a miss. Its table's rows have data-bytes, the capacity, and data-misses;
  // the script fills their <td data-cost>. With <input type="number" name="requests">, the requests of a month, misses are
  // scaled from data-requests, the requests that they were counted in. Inputs of one name have one value in all sections.
  const costs = all("section.cost");
  const prices = all("section.cost input[name]");
  const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const price = () => {
    for (const section of costs) {
      const [gib, miss, requests] = ["gib", "miss", "requests"]
        .map((name) => section.querySelector(`[name=${name}]`)?.valueAsNumber);
      const scale = requests === undefined ? 1 : requests / section.dataset.requests;
      const rows = all("tr[data-bytes]", section);
      const sums = rows.map((row) => row.dataset.bytes / 2 ** 30 * gib + row.dataset.misses * scale * miss);
      const least = Math.min(...sums);
      rows.forEach((row, index) => {
        const cell = row.querySelector("[data-cost]");
        const isKnown = Number.isFinite(sums[index]);
        row.classList.toggle("best", sums[index] === least);
        cell.textContent = isKnown ? money.format(sums[index]) : "–";
        if (sums[index] === least) cell.append(make("small", {}, "cheapest"));
        if (isKnown) cell.dataset.v = sums[index]; else delete cell.dataset.v;
        cell.classList.toggle("absent", !isKnown);
      });
    }
  };
  for (const input of prices) {
    if (state.has(input.name)) input.value = state.get(input.name);
    input.addEventListener("input", () => {
      prices.filter((other) => other.name === input.name).forEach((other) => { other.value = input.value; });
      keep(input.name, input.value);
      price();
    });
  }
  price();

  // Files: those that the page carries, and what a chart's menu offers.
  const save = (name, blob) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const files = () => {
    const packed = atob(document.getElementById("files").textContent.trim());
    const stream = new Blob([Uint8Array.from(packed, (byte) => byte.charCodeAt(0))]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).json();
  };
  all("[data-download]").forEach((one) => one.addEventListener("click", async () => {
    save(one.dataset.download, new Blob([(await files())[one.dataset.download]]));
  }));
  // A field of CSV: text that a spreadsheet would run begins with an apostrophe.
  const field = (value) => {
    const text = value === null ? "" : String(value);
    const safe = /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  // The table behind a chart has its exact values; without one its points tell them.
  const data = (svg) => {
    const table = svg.closest(".card")?.querySelector("table");
    if (!table) return all(".pt", svg).map((point) => point.dataset.tip.split("\n"));
    const headings = all("thead th", table);
    const isNumeric = headings.map((heading) => heading.classList.contains("n"));
    const rows = all("tbody tr", table).map((row) => [...row.cells].map((cell, column) => cellValue(cell, isNumeric[column])));
    return [headings.map((heading) => heading.textContent), ...rows];
  };
  const inlined = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-family",
    "font-size", "font-weight", "text-anchor", "paint-order"];
  const drawing = (svg) => {
    const copy = svg.cloneNode(true);
    const rgb = (_, ...parts) => `rgb(${parts.slice(0, 3).map((part) => Math.round(part * 255))})`;
    const copies = all("*", copy);
    all("*", svg).forEach((element, index) => {
      const style = getComputedStyle(element);
      if (style.display === "none") return copies[index].setAttribute("hidden", "");
      const text = inlined.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
      copies[index].setAttribute("style", text.replace(/color\(srgb ([0-9.]+) ([0-9.]+) ([0-9.]+)\)/g, rgb));
    });
    all("[hidden]", copy).forEach((element) => element.remove());
    const { width, height } = svg.getBoundingClientRect();
    const ground = document.createElementNS(svg.namespaceURI, "rect");
    const fill = getComputedStyle(svg.closest(".card")).backgroundColor;
    const frame = { width: "100%", height: "100%", fill };
    Object.entries(frame).forEach((pair) => ground.setAttribute(...pair));
    copy.prepend(ground);
    Object.entries({ width, height }).forEach((pair) => copy.setAttribute(...pair));
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const saveImage = async (svg, name) => {
    const { text, width, height } = drawing(svg);
    const image = make("img", { src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text) });
    await image.decode();
    const canvas = make("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, blob));
  };
  for (const svg of charts) {
    const caption = svg.closest(".card")?.querySelector("figcaption");
    if (!caption) continue;
    const name = (label) => label.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80);
    const summary = make("summary", { ariaLabel: `Save this chart: ${svg.ariaLabel}`, title: "Save this chart" }, "⋯");
    const menu = make("details", { className: "menu" }, summary);
    const image = () => new Blob([drawing(svg).text], { type: "image/svg+xml" });
    const items = make("div", {},
      button("Image as SVG", () => save(name(svg.ariaLabel) + ".svg", image())),
      button("Image as PNG", () => saveImage(svg, name(svg.ariaLabel) + ".png")));
    // The data are of hits, whatever the chart shows now.
    const saveData = () => {
      const text = data(svg).map((row) => row.map(field).join(",") + "\r\n").join("");
      save(name((drawn.get(svg) || { label: svg.ariaLabel }).label) + ".csv", new Blob([text], { type: "text/csv" }));
    };
    if (caption.parentNode.querySelector("table, .pt")) items.prepend(button("Data as CSV", saveData));
    items.addEventListener("click", () => { menu.open = false; summary.focus(); });
    menu.append(items);
    caption.append(menu);
  }
  const closeMenus = (except) => all(".menu[open]").forEach((menu) => { if (!menu.contains(except)) menu.open = false; });
  addEventListener("click", (event) => closeMenus(event.target));
  addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenus(null); });

  // Folds that differ from how the page comes, the command line, links within the page.
  const turned = new Set(chosen("fold").map(Number));
  folds.forEach((fold, index) => {
    const isOpen = fold.open;
    if (turned.has(index)) fold.open = !isOpen;
    fold.addEventListener("toggle", () => {
      if (fold.open === isOpen) turned.delete(index); else turned.add(index);
      keep("fold", [...turned].join(","));
    });
  });
  all("[data-copy]").forEach((one) => one.addEventListener("click", () => {
    getSelection().selectAllChildren(one.parentNode.querySelector("code"));
    if (document.execCommand("copy")) one.textContent = "Copied";
  }));
  const show = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    page.style.scrollPaddingTop = `${legend.offsetHeight + 16}px`;
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  };
  all('a[href^="#"]').forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    keep("at", link.hash.slice(1));
    show(link.hash.slice(1));
  }));
  if (state.has("at")) show(state.get("at"));
  all(".tools, [data-copy]").forEach((element) => { element.hidden = false; });
})();
