// Draws the timeline and the partitions of a report. Log content becomes text nodes, never markup.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const ABSENT = -2147483648;
  const ROW = 28;
  const data = JSON.parse(document.getElementById("data").textContent);

  // ---- Elements

  function make(name, attributes, ...children) {
    const plain = document.createElement(name);
    return filled(plain, attributes, children);
  }

  function draw(name, attributes, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  function filled(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children.map((each) => (each instanceof Node ? each : String(each))));
    return element;
  }

  function titled(element, text) {
    element.append(draw("title", {}, text));
    return element;
  }

  // Times are as the log prints them: they have no zone, so they are shown as UTC. One that no date has is a number.
  function printed(ms) {
    if (!(ms >= -62135596800000 && ms < 253402300800000)) return ms + " ms";
    return new Date(ms).toISOString().replace("T", " ").replace("Z", "");
  }

  function count(n, thing) {
    return n.toLocaleString("en") + " " + thing + (n === 1 ? "" : "s");
  }

  // ---- The stretch of time that is shown: zoom and pan, for pointer and keys

  class View {
    constructor(first, last, redraw) {
      this.first = first;
      this.last = Math.max(last, first + 1);
      this.redraw = redraw;
      this.from = this.first;
      this.to = this.last;
    }
    show(from, to) {
      const whole = this.last - this.first;
      const length = Math.min(Math.max(to - from, 2), whole);
      this.from = Math.min(Math.max(from, this.first), this.last - length);
      this.to = this.from + length;
      this.redraw();
    }
    zoom(factor, at = (this.from + this.to) / 2) {
      this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
    }
    move(part) {
      const by = (this.to - this.from) * part;
      this.show(this.from + by, this.to + by);
    }
    key(key) {
      if (key === "+" || key === "=") this.zoom(0.5);
      else if (key === "-") this.zoom(2);
      else if (key === "0") this.show(this.first, this.last);
      else if (key === "ArrowLeft") this.move(-0.25);
      else if (key === "ArrowRight") this.move(0.25);
      else return false;
      return true;
    }
  }

  function zoomable(svg, view, left, width) {
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return view.from + ((event.clientX - box.left - left) / width()) * (view.to - view.from);
    };
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && !event.metaKey) return;
      event.preventDefault();
      view.zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.3 : 0.77, at(event));
    }, { passive: false });
    let held = null;
    svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, from: view.from, to: view.to }; });
    svg.addEventListener("pointermove", (event) => {
      if (held === null || !(event.buttons & 1)) return;
      const by = ((held.x - event.clientX) / width()) * (held.to - held.from);
      view.show(held.from + by, held.to + by);
    });
    svg.addEventListener("pointerup", () => { held = null; });
    svg.addEventListener("dblclick", (event) => view.zoom(0.4, at(event)));
    svg.addEventListener("keydown", (event) => { if (view.key(event.key)) event.preventDefault(); });
  }

  function ruler(svg, view, left, width, height) {
    const steps = [1, 10, 100, 1000, 5000, 15000, 60000, 300000, 900000, 3600000, 14400000, 86400000, 604800000, 2592000000, 31536000000];
    const most = Math.max(2, Math.floor(width / 150));
    const length = view.to - view.from;
    const step = steps.find((each) => length / each <= most) || length / most;
    for (let ts = Math.ceil(view.from / step) * step; ts <= view.to; ts += step) {
      const x = left + ((ts - view.from) / length) * width;
      svg.append(draw("line", { x1: x, x2: x, y1: 0, y2: height - 18, class: "rule" }));
      const text = step >= 86400000 ? printed(ts).slice(0, 10) : step >= 1000 ? printed(ts).slice(5, 19) : printed(ts).slice(11);
      svg.append(draw("text", { x: x + 3, y: height - 4, class: "quiet" }, text));
    }
  }

  // ---- The timeline

  class Timeline {
    constructor(panel, own) {
      this.own = own;
      const times = [];
      for (const [, , first, last] of own.active) times.push(first, last);
      for (const [, spells] of own.lanes) for (const [first, last] of spells) times.push(...[first, last].filter((ts) => ts !== null));
      for (const each of own.offline) times.push(each[0]);
      for (const each of own.marks) times.push(each[0]);
      for (const each of own.trouble) times.push(each[0]);
      panel.replaceChildren();
      if (!times.length) {
        panel.append(make("p", { class: "quiet" }, "No line with a time is about controllers, brokers or findings."));
        return;
      }
      const low = times.reduce((a, b) => Math.min(a, b)), high = times.reduce((a, b) => Math.max(a, b));
      const room = Math.max((high - low) * 0.01, 10);
      this.low = low;
      this.high = high;
      this.view = new View(low - room, high + room, () => this.redraw());
      this.svg = draw("svg", { tabindex: "0", role: "img", "aria-label": "Timeline of brokers; keys + - 0 and arrows" });
      this.said = make("span", { class: "quiet" });
      const tools = make("div", { class: "tools" });
      for (const [label, key, name] of [["+", "+", "Zoom in"], ["−", "-", "Zoom out"], ["◀", "ArrowLeft", "Earlier"], ["▶", "ArrowRight", "Later"], ["All", "0", "All of it"]]) {
        const button = make("button", { type: "button", "aria-label": name, "data-zoom": key }, label);
        button.addEventListener("click", () => this.view.key(key));
        tools.append(button);
      }
      tools.append(this.said);
      const legend = make("div", { class: "legend" });
      const drawn = new Set(own.lanes.flatMap(([, spells]) => spells.map((each) => each[2])));
      for (const [name, text] of [["up", "alive, or unfenced"], ["leaving", "in controlled shutdown"], ["down", "not alive, fenced or shut down"], ["tenure", "active controller, by epoch"], ["offline", "partitions offline, or a quorum without a leader"]])
        if (name !== "leaving" || drawn.has(name)) legend.append(make("span", {}, make("i", { class: name }), text));
      legend.append(make("span", {}, "▼ findings, ◆ trouble: click one to see it. Shift and wheel zoom, dragging moves. Times are by each controller's own clock."));
      panel.append(tools, this.svg, legend);
      zoomable(this.svg, this.view, 90, () => this.width());
      this.redraw();
    }
    width() {
      return Math.max(200, this.svg.clientWidth - 100);
    }
    redraw() {
      const { own, svg, view } = this;
      const width = this.width(), left = 90, lane = 26, top = 26;
      const offline = top + own.lanes.length * lane + 8, height = offline + 62;
      const x = (ts) => left + ((Math.min(Math.max(ts, view.from), view.to) - view.from) / (view.to - view.from)) * width;
      const visible = (from, to) => to >= view.from && from <= view.to;
      svg.setAttribute("height", height);
      svg.replaceChildren();
      ruler(svg, view, left, width, height);
      own.lanes.forEach(([name, spells], index) => {
        const y = top + index * lane;
        svg.append(draw("text", { x: 4, y: y + 15 }, name));
        for (const [first, last, kind, text] of spells) {
          const from = first === null ? this.low : first, to = last === null ? this.high : last;
          if (!visible(from, to)) continue;
          const box = draw("rect", { x: x(from), y: y + 3, width: Math.max(1, x(to) - x(from)), height: lane - 8, rx: 2, class: kind });
          svg.append(titled(box, name + " " + text + "\n" + printed(from) + " to " + printed(to)));
        }
      });
      for (const [index, epoch, first, last, failsOver, text] of own.active) {
        const y = top + index * lane;
        if (failsOver && visible(first, first))
          svg.append(titled(draw("line", { x1: x(first), x2: x(first), y1: top, y2: offline - 8, class: "failover" }), "failover to epoch " + epoch));
        if (!visible(first, last)) continue;
        const wide = Math.max(3, x(last) - x(first));
        svg.append(titled(draw("rect", { x: x(first), y: y + 7, width: wide, height: lane - 16, rx: 2, class: "tenure" }), text + "\n" + printed(first) + " to " + printed(last)));
        if (wide > 26) svg.append(draw("text", { x: x(first) + 4, y: y + 16.5, class: "on", "font-size": 10 }, epoch));
      }
      this.drawOffline(x, offline, width, left);
      this.drawMarks(x, width, left);
      this.drawTrouble(x);
      this.said.textContent = printed(view.from) + " to " + printed(view.to);
    }
    drawOffline(x, y, width, left) {
      const { own, svg, view } = this;
      const most = own.offline.reduce((high, each) => Math.max(high, each[1]), 0);
      svg.append(draw("text", { x: 4, y: y + 14 }, "offline"), draw("text", { x: 4, y: y + 28, class: "quiet" }, "most: " + most));
      own.offline.forEach(([ts, n], index) => {
        const end = index + 1 < own.offline.length ? own.offline[index + 1][0] : view.last;
        if (!n || end < view.from || ts > view.to) return;
        const high = (n / most) * 34;
        const box = draw("rect", { x: x(ts), y: y + 36 - high, width: Math.max(1, x(end) - x(ts)), height: high, class: "offline" });
        svg.append(titled(box, count(n, "partition") + " offline from " + printed(ts)));
      });
    }
    drawTrouble(x) {
      for (const [ts, number, text] of this.own.trouble) {
        if (ts < this.view.from || ts > this.view.to) continue;
        const at = x(ts);
        const shape = draw("path", { d: "M" + at + " 17 l4 4 l-4 4 l-4 -4 z", class: "mark trouble", "data-trouble": number });
        shape.addEventListener("click", () => {
          const line = document.getElementById(this.own.id + "-happened-" + number);
          if (line) line.scrollIntoView({ block: "center" });
        });
        this.svg.append(titled(shape, text + "\n" + printed(ts)));
      }
    }
    drawMarks(x) {
      const places = new Map();
      const order = ["illegal", "suspicious", "unknown", "refused"];
      for (const mark of this.own.marks) {
        if (mark[0] < this.view.from || mark[0] > this.view.to) continue;
        const at = Math.round(x(mark[0]) / 6) * 6;
        const there = places.get(at);
        if (!there) places.set(at, { first: mark, n: 1 });
        else { there.n += 1; if (order.indexOf(mark[2]) < order.indexOf(there.first[2])) there.first = mark; }
      }
      for (const [at, { first, n }] of places) {
        const shape = draw("path", { d: "M" + (at - 5) + " 8 h10 l-5 9 z", class: "mark " + first[2], "data-mark": first[1] });
        const text = first[1] + " (" + first[2] + "): " + first[3] + "\n" + printed(first[0]) + (n > 1 ? "\nand " + count(n - 1, "other finding") : "");
        shape.addEventListener("click", () => toFinding(first[1], first[3]));
        this.svg.append(titled(shape, text));
      }
    }
  }

  function toFinding(rule, message) {
    for (const article of document.querySelectorAll(".finding")) {
      if (article.querySelector("h3").textContent !== message) continue;
      article.closest("details").open = true;
      article.scrollIntoView({ block: "center" });
      return;
    }
    const page = document.getElementById(rule);
    if (page) { page.open = true; page.scrollIntoView(); }
  }

  // ---- Partitions

  async function unpacked(text, columns, length) {
    const coded = atob(text);
    const bytes = new Uint8Array(coded.length);
    for (let i = 0; i < coded.length; i++) bytes[i] = coded.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const found = [];
    for (let column = 0; column < columns; column++) {
      const at = column * 4 * length, numbers = new Int32Array(length);
      for (let i = 0; i < length; i++)
        numbers[i] = planes[at + i] | (planes[at + length + i] << 8) | (planes[at + 2 * length + i] << 16) | (planes[at + 3 * length + i] << 24);
      found.push(numbers);
    }
    return found;
  }

  function summed(numbers) {
    for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1];
    return numbers;
  }

  class Partitions {
    constructor(panel, own, marks) {
      this.panel = panel;
      this.own = own;
      this.marks = marks;
    }
    async load() {
      const own = this.own;
      [this.topic, this.number, this.life, this.length, this.findings, this.offline] = await unpacked(own.heads, 6, own.partitions);
      [this.seconds, this.millis, this.leader, this.isr, this.leaderEpoch, this.controllerEpoch, this.version, this.file, this.line] = await unpacked(own.rows, 9, own.states);
      summed(this.seconds);
      summed(this.line);
      this.start = new Int32Array(own.partitions);
      for (let i = 1; i < own.partitions; i++) this.start[i] = this.start[i - 1] + this.length[i - 1];
      this.lower = own.topics.map((topic) => topic.toLowerCase());
      this.lay();
    }
    name(index) {
      return this.own.topics[this.topic[index]] + "-" + this.number[index];
    }
    lay() {
      this.search = make("input", { type: "search", placeholder: "Search partitions (/)", "aria-label": "Search partitions" });
      this.sort = make("select", { "aria-label": "Sort" });
      for (const [value, text] of [["name", "by name"], ["findings", "most findings"], ["offline", "longest offline"], ["states", "most changes"]])
        this.sort.append(make("option", { value }, text));
      this.said = make("span", { class: "quiet" });
      this.list = make("div", { class: "list", tabindex: "0", role: "listbox", "aria-label": "Partitions" });
      this.space = make("div", { class: "space" });
      this.list.append(this.space);
      this.detail = make("div", { class: "detail", "aria-live": "polite" });
      const left = this.elsewhere();
      this.panel.replaceChildren(make("div", { class: "tools" }, this.search, this.sort, this.said), left, make("div", { class: "split" }, this.list, this.detail));
      this.search.addEventListener("input", () => this.choose());
      this.sort.addEventListener("change", () => this.choose());
      this.list.addEventListener("scroll", () => this.show());
      this.list.addEventListener("keydown", (event) => this.key(event));
      this.search.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "Enter") { this.key(event); this.list.focus(); } });
      this.sort.value = this.findings.some((n) => n) ? "findings" : "name";
      this.choose();
      if (this.chosen.length) this.select(0, false);
    }
    // Partitions on other pages: links to those, or how many there are.
    elsewhere() {
      const own = this.own;
      if (own.leftOut) return make("p", { class: "quiet" }, count(own.leftOut, "partition") + " more do not fit on one page: --html FILE writes them to further pages, --partition shows one.");
      if (!own.others.length) return "";
      const line = make("p", { class: "others" }, "On other pages: ");
      own.others.forEach(([address, n, which], place) => line.append(place ? ", " : "", make("a", { href: address }, which + " (" + n.toLocaleString("en") + ")")));
      return line;
    }
    choose() {
      const wanted = this.search.value.trim().toLowerCase();
      const found = [];
      for (let i = 0; i < this.own.partitions; i++) {
        if (!wanted || this.lower[this.topic[i]].includes(wanted) || (this.lower[this.topic[i]] + "-" + this.number[i]).includes(wanted)) found.push(i);
      }
      const by = { findings: this.findings, offline: this.offline, states: this.length }[this.sort.value];
      if (by) found.sort((a, b) => by[b] - by[a] || a - b);
      this.chosen = found;
      this.at = -1;
      this.space.style.height = found.length * ROW + "px";
      this.list.scrollTop = 0;
      this.said.textContent = found.length.toLocaleString("en") + " of " + count(this.own.partitions, "partition");
      this.show();
    }
    show() {
      const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 4);
      const last = Math.min(this.chosen.length, first + Math.ceil(this.list.clientHeight / ROW) + 8);
      const rows = [];
      for (let at = first; at < last; at++) {
        const index = this.chosen[at];
        const notes = [];
        if (this.findings[index]) notes.push(count(this.findings[index], "finding"));
        if (this.offline[index]) notes.push((this.offline[index] / 1000).toFixed(1) + " s offline");
        if (!notes.length) notes.push(count(this.length[index], "state"));
        const row = make("div", { class: "row", role: "option", "aria-selected": at === this.at, title: this.name(index) }, make("span", {}, this.name(index) + (this.life[index] > 1 ? ", life " + this.life[index] : "")), make("span", { class: "quiet" }, notes.join(", ")));
        row.style.top = at * ROW + "px";
        row.addEventListener("click", () => this.select(at, false));
        rows.push(row);
      }
      this.space.replaceChildren(...rows);
    }
    key(event) {
      const page = Math.floor(this.list.clientHeight / ROW);
      const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: this.chosen.length - 1, PageDown: this.at + page, PageUp: this.at - page, Enter: Math.max(this.at, 0) }[event.key];
      if (to === undefined || !this.chosen.length) return;
      event.preventDefault();
      this.select(Math.min(Math.max(to, 0), this.chosen.length - 1), true);
    }
    select(at, scroll) {
      this.at = at;
      if (scroll) {
        const top = at * ROW;
        if (top < this.list.scrollTop) this.list.scrollTop = top;
        else if (top + ROW > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + ROW - this.list.clientHeight;
      }
      this.show();
      this.open(this.chosen[at]);
    }
    find(name) {
      for (let i = 0; i < this.own.partitions; i++) if (this.life[i] + " " + this.name(i) === name) return i;
      return -1;
    }
    reveal(name) {
      const index = this.find(name);
      if (index < 0) return;
      this.search.value = "";
      this.choose();
      this.select(this.chosen.indexOf(index), true);
      this.panel.scrollIntoView();
    }
    states(index) {
      const found = [];
      for (let i = this.start[index]; i < this.start[index] + this.length[index]; i++) {
        found.push({
          ts: this.millis[i] < 0 ? null : (this.own.base + this.seconds[i]) * 1000 + this.millis[i],
          leader: this.leader[i], isr: this.own.isrs[this.isr[i]], leaderEpoch: this.leaderEpoch[i],
          controllerEpoch: this.controllerEpoch[i] === ABSENT ? null : this.controllerEpoch[i],
          version: this.version[i] === ABSENT ? null : this.version[i],
          place: this.own.files[this.file[i]] + (this.line[i] < 0 ? "@" + (-1 - this.line[i]) : ":" + this.line[i]),
        });
      }
      return found;
    }
    open(index) {
      const states = this.states(index);
      const timed = states.filter((each) => each.ts !== null);
      const heading = make("h3", {}, this.name(index) + (this.life[index] > 1 ? ", life " + this.life[index] : ""));
      const body = make("tbody", {});
      for (const each of states.slice(0, 2000)) {
        const cells = [each.ts === null ? "" : printed(each.ts), each.leader < 0 ? "none" : each.leader, each.isr, each.leaderEpoch, each.version ?? "", each.controllerEpoch ?? "", each.place];
        body.append(make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
      }
      const head = make("tr", {}, ...["time", "leader", "ISR", "leader epoch", "version", "controller epoch", "line"].map((text) => make("th", { scope: "col" }, text)));
      const table = make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body));
      this.detail.replaceChildren(heading, ...(timed.length ? [lanes(timed)] : []), table);
      if (states.length > 2000) this.detail.append(make("p", { class: "quiet" }, "The first 2,000 of " + count(states.length, "state") + "."));
    }
  }

  // Lanes of leader, ISR, leader epoch and controller epoch: a box for as long as the value stays.
  function lanes(states) {
    const svg = draw("svg", { tabindex: "0", role: "img", "aria-label": "Lanes of the partition; keys + - 0 and arrows", height: 140 });
    const low = states[0].ts, high = states.reduce((a, b) => Math.max(a, b.ts), low);
    const room = Math.max((high - low) * 0.06, 10);
    const rows = [["leader", (s) => (s.leader < 0 ? "none" : s.leader)], ["ISR", (s) => s.isr], ["leader epoch", (s) => s.leaderEpoch], ["controller epoch", (s) => s.controllerEpoch ?? "?"]];
    const width = () => Math.max(160, svg.clientWidth - 120);
    const redraw = () => {
      svg.replaceChildren();
      ruler(svg, view, 110, width(), 140);
      const x = (ts) => 110 + ((Math.min(Math.max(ts, view.from), view.to) - view.from) / (view.to - view.from)) * width();
      rows.forEach(([label, value], lane) => {
        const y = 4 + lane * 29;
        svg.append(draw("text", { x: 2, y: y + 16 }, label));
        let begin = 0, shade = 0;
        for (let i = 1; i <= states.length; i++) {
          if (i < states.length && value(states[i]) === value(states[begin])) continue;
          const from = states[begin].ts, to = i < states.length ? Math.max(states[i].ts, from) : view.last;
          shade ^= 1;
          if (to >= view.from && from <= view.to) {
            const wide = Math.max(1, x(to) - x(from)), text = String(value(states[begin]));
            const kind = label === "leader" && states[begin].leader < 0 ? "gone" : shade ? "a" : "b";
            svg.append(titled(draw("rect", { x: x(from), y, width: wide, height: 23, rx: 2, class: kind }), label + " " + text + "\nfrom " + printed(from) + "\n" + states[begin].place));
            if (wide > text.length * 7 + 6) svg.append(draw("text", { x: x(from) + 4, y: y + 16, class: "onlane", "pointer-events": "none" }, text));
          }
          begin = i;
        }
      });
    };
    const view = new View(low, high + room, redraw);
    zoomable(svg, view, 110, width);
    requestAnimationFrame(redraw);
    return svg;
  }

  // ---- The page

  const shown = [];
  const soon = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      soon.unobserve(entry.target);
      start(entry.target);
    }
  }, { rootMargin: "600px" });

  function start(panel) {
    if (panel.dataset.timeline) shown.push(new Timeline(panel, { id: panel.dataset.timeline, ...data[panel.dataset.timeline] }));
    else {
      const own = data[panel.dataset.partitions];
      panel.ready = (async () => {
        if (!own.partitions.partitions) { panel.replaceChildren(make("p", { class: "quiet" }, "No line shows the state of a partition.")); return null; }
        if (typeof DecompressionStream === "undefined") { panel.replaceChildren(make("p", {}, "This browser is too old to unpack the partitions: it lacks DecompressionStream.")); return null; }
        const partitions = new Partitions(panel, own.partitions);
        await partitions.load();
        panel.dataset.loaded = "yes";
        return partitions;
      })();
    }
  }

  for (const panel of document.querySelectorAll("[data-timeline], [data-partitions]")) soon.observe(panel);

  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-partition]");
    if (!button) return;
    const panel = button.closest("[data-cluster]").querySelector("[data-partitions]");
    if (!panel.ready) { soon.unobserve(panel); start(panel); }
    const partitions = await panel.ready;
    if (partitions) partitions.reveal(button.dataset.partition);
  });

  const root = document.documentElement;
  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }
  const help = document.getElementById("help");
  document.getElementById("theme").addEventListener("click", theme);
  document.getElementById("keys").addEventListener("click", () => help.showModal());

  function cause(step) {
    const all = [...document.querySelectorAll("details.cause")];
    const at = all.findIndex((each) => each.contains(document.activeElement));
    const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
    if (next) { next.open = true; next.querySelector("summary").focus(); next.scrollIntoView(); }
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof Element && target.closest("input, select, dialog"))) return;
    if (event.key === "/") {
      const search = document.querySelector(".partitions input");
      if (search) { event.preventDefault(); search.focus(); search.scrollIntoView({ block: "center" }); }
      else document.querySelector("[data-partitions]").scrollIntoView();
    } else if (event.key === "t") theme();
    else if (event.key === "?") help.showModal();
    else if (event.key === "n") cause(1);
    else if (event.key === "p") cause(-1);
    else if (!(target instanceof Element && target.closest("svg, .list")) && "+-=0".includes(event.key) && shown.length && shown[0].view) shown[0].view.key(event.key);
  });

  // A link into a closed part opens it.
  function opened() {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    for (let each = target; each; each = each.parentElement) if (each instanceof HTMLDetailsElement) each.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", opened);
  if (location.hash) opened();

  let printing = [];
  addEventListener("beforeprint", () => {
    printing = [...document.querySelectorAll("details.cause:not([open])")];
    for (const each of printing) each.open = true;
    for (const panel of document.querySelectorAll("[data-timeline]")) if (panel.querySelector(".needs-script")) { soon.unobserve(panel); start(panel); }
  });
  addEventListener("afterprint", () => { for (const each of printing) each.open = false; });
  let resizing = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(() => { for (const each of shown) if (each.view) each.redraw(); });
  });
})();
