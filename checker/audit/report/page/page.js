// Draws the timeline and the partitions of a report. Log content becomes text nodes, never markup.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const ABSENT = -2147483648;
  const ROW = 28;
  const LEFT = innerWidth < 500 ? 72 : 96;
  const AT_ONCE = 20000;
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

  // A drawing keeps its pixels on the screen and shrinks with the paper.
  function sized(svg, width, height) {
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    svg.setAttribute("height", height);
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

  // One moment that all lanes of a cluster show: a line in each, and in words what held then.
  class Cursor {
    constructor() {
      this.ts = null;
      this.followers = new Map();
    }
    follow(name, redraw) {
      this.followers.set(name, redraw);
    }
    set(ts) {
      this.ts = ts;
      for (const redraw of this.followers.values()) redraw(ts);
    }
    draw(svg, view, x, height) {
      svg.querySelector(".cursor")?.remove();
      if (this.ts === null || this.ts < view.from || this.ts > view.to) return;
      const at = x(this.ts);
      svg.append(draw("line", { x1: at, x2: at, y1: 0, y2: height, class: "cursor", "pointer-events": "none" }));
    }
  }

  const cursors = new Map();
  function cursorOf(id) {
    if (!cursors.has(id)) cursors.set(id, new Cursor());
    return cursors.get(id);
  }

  function zoomable(svg, view, left, width, cursor) {
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return view.from + ((event.clientX - box.left - left) / width()) * (view.to - view.from);
    };
    const within = (ts) => Math.round(Math.min(Math.max(ts, view.from), view.to));
    let fixed = false;
    svg.addEventListener("click", (event) => { fixed = true; cursor.set(within(at(event))); });
    svg.addEventListener("pointerleave", () => { fixed = false; });
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && !event.metaKey) return;
      event.preventDefault();
      view.zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.3 : 0.77, at(event));
    }, { passive: false });
    let held = null;
    svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, from: view.from, to: view.to }; });
    svg.addEventListener("pointermove", (event) => {
      if (held === null || !(event.buttons & 1)) {
        if (!fixed) cursor.set(within(at(event)));
        return;
      }
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
      this.cursor = cursorOf(own.id);
      this.then = make("p", { class: "then", "aria-live": "polite" }, "Point at a moment to read what held then.");
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
      for (const [name, text] of [["alive", "alive, or unfenced"], ["leaving", "in controlled shutdown"], ["dead", "not alive, fenced or shut down"], ["controller", "active controller, by epoch"], ["none", "without a leader: partitions offline, or the quorum"]])
        if (name !== "leaving" || drawn.has(name)) legend.append(make("span", {}, make("i", { class: name }), text));
      legend.append(make("span", {}, "▼ findings, ◆ trouble: click one to see it. Shift and wheel zoom, dragging moves. Times are by the clock of each writer."));
      panel.append(tools, this.svg, this.then, legend);
      zoomable(this.svg, this.view, this.left, () => this.width(), this.cursor);
      this.cursor.follow("timeline", (ts) => this.at(ts));
      this.redraw();
    }
    get left() {
      return LEFT;
    }
    width() {
      return Math.max(200, this.svg.clientWidth - this.left - 10);
    }
    x(ts) {
      const { view } = this;
      return this.left + ((Math.min(Math.max(ts, view.from), view.to) - view.from) / (view.to - view.from)) * this.width();
    }
    at(ts) {
      const { own, view } = this;
      if (ts < view.from || ts > view.to) view.show(ts - (view.to - view.from) / 2, ts + (view.to - view.from) / 2);
      this.cursor.draw(this.svg, view, (each) => this.x(each), this.height - 18);
      const holds = ([first, last]) => (first === null || first <= ts) && (last === null || ts < last);
      const alive = own.lanes.filter(([name, spells]) => name !== "quorum" && spells.some((each) => each[2] === "alive" && holds(each))).map(([name]) => name);
      const active = own.active.filter(([, , first, last]) => first <= ts && ts <= last).map(([, , , , , text]) => text);
      let offline = 0;
      for (const [from, n] of own.offline) if (from <= ts) offline = n;
      this.then.replaceChildren(make("b", {}, printed(ts)), ": " + (alive.length ? alive.join(", ") + " alive" : "no broker is shown alive") + "; " + (active.length ? active.join(", ") : "no active controller is shown") + "; " + count(offline, "partition") + " offline.");
    }
    redraw() {
      const { own, svg, view } = this;
      const width = this.width(), left = this.left, lane = 26, top = 26;
      const offline = top + own.lanes.length * lane + 8, height = offline + 62;
      const x = (ts) => this.x(ts);
      this.height = height;
      const visible = (from, to) => to >= view.from && from <= view.to;
      sized(svg, left + width + 10, height);
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
        svg.append(titled(draw("rect", { x: x(first), y: y + 7, width: wide, height: lane - 16, rx: 2, class: "controller" }), text + "\n" + printed(first) + " to " + printed(last)));
        if (wide > 26) svg.append(draw("text", { x: x(first) + 4, y: y + 16.5, class: "on-controller", "font-size": 10, "pointer-events": "none" }, epoch));
      }
      this.drawOffline(x, offline, width, left);
      this.drawMarks(x, width, left);
      this.drawTrouble(x);
      this.cursor.draw(svg, view, x, height - 18);
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
        const box = draw("rect", { x: x(ts), y: y + 36 - high, width: Math.max(1, x(end) - x(ts)), height: high, class: "none" });
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
          if (line) to(line);
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
        shape.addEventListener("click", () => {
          const found = document.getElementById(first[4]) || document.getElementById(first[1]);
          if (found) to(found);
        });
        this.svg.append(titled(shape, text));
      }
    }
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
    constructor(panel, own) {
      this.panel = panel;
      this.own = own;
      this.cluster = panel.dataset.partitions;
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
      this.at = found.indexOf(this.current);
      this.space.style.height = found.length * ROW + "px";
      this.list.scrollTop = 0;
      this.said.textContent = found.length.toLocaleString("en") + " of " + count(this.own.partitions, "partition");
      if (this.at < 0 && found.length) this.select(0, false);
      else this.show();
      if (!found.length) {
        this.current = undefined;
        this.detail.replaceChildren(make("p", { class: "quiet" }, "No partition has this in its name."));
      }
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
        row.addEventListener("click", () => this.walk(at, false));
        rows.push(row);
      }
      this.space.replaceChildren(...rows);
    }
    key(event) {
      const page = Math.floor(this.list.clientHeight / ROW);
      const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: this.chosen.length - 1, PageDown: this.at + page, PageUp: this.at - page, Enter: Math.max(this.at, 0) }[event.key];
      if (to === undefined || !this.chosen.length) return;
      event.preventDefault();
      this.walk(Math.min(Math.max(to, 0), this.chosen.length - 1), true);
    }
    // The reader goes to a partition: its address is the page's from then on.
    walk(at, scroll) {
      this.select(at, scroll);
      address(this.cluster + "-partition-" + this.life[this.current] + "-" + this.name(this.current));
    }
    select(at, scroll) {
      this.at = at;
      if (scroll) {
        const top = at * ROW;
        if (top < this.list.scrollTop) this.list.scrollTop = top;
        else if (top + ROW > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + ROW - this.list.clientHeight;
      }
      this.current = this.chosen[at];
      this.show();
      this.open(this.current);
    }
    find(name) {
      for (let i = 0; i < this.own.partitions; i++) if (this.life[i] + " " + this.name(i) === name) return i;
      return -1;
    }
    reveal(name) {
      const index = this.find(name);
      if (index < 0) return;
      this.search.value = "";
      this.current = index;
      this.choose();
      this.walk(this.chosen.indexOf(index), true);
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
        const cells = [each.ts === null ? "" : printed(each.ts), each.leader < 0 ? "none" : each.leader, each.isr || "empty", each.leaderEpoch, each.version ?? "", each.controllerEpoch ?? "", each.place];
        body.append(make("tr", {}, ...cells.map((cell, at) => make("td", (at === 1 && each.leader < 0) || (at === 2 && !each.isr) ? { class: "bad" } : {}, cell))));
      }
      const head = make("tr", {}, ...["time", "leader", "ISR", "leader epoch", "version", "controller epoch", "line"].map((text) => make("th", { scope: "col" }, text)));
      const table = make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body));
      this.detail.replaceChildren(heading, ...(timed.length ? lanes(timed, this.own.short[index] || [], cursorOf(this.cluster)) : []), table);
      if (states.length > 2000) this.detail.append(make("p", { class: "quiet" }, "The first 2,000 of " + count(states.length, "state") + "."));
    }
  }

  // Lanes of leader, ISR, leader epoch and controller epoch: a box for as long as the value stays. A colour has one
  // meaning; the times in which the ISR was short lie over it.
  function lanes(states, short, cursor) {
    const height = 140;
    const svg = draw("svg", { tabindex: "0", role: "img", "aria-label": "Lanes of the partition; keys + - 0 and arrows" });
    const then = make("p", { class: "then" });
    const low = states[0].ts, high = states.reduce((a, b) => Math.max(a, b.ts), low);
    const room = Math.max((high - low) * 0.06, 10);
    const rows = [
      ["leader", (s) => (s.leader < 0 ? "no leader" : s.leader), (s) => (s.leader < 0 ? "none" : "leader")],
      ["ISR", (s) => s.isr || "empty", (s) => (s.isr ? "full" : "empty")],
      ["leader epoch", (s) => s.leaderEpoch, () => "epoch"],
      ["controller ep.", (s) => s.controllerEpoch ?? "?", () => "epoch"],
    ];
    const width = () => Math.max(160, svg.clientWidth - LEFT - 10);
    const x = (ts) => LEFT + ((Math.min(Math.max(ts, view.from), view.to) - view.from) / (view.to - view.from)) * width();
    const box = (from, to, y, kind, label, text, more) => {
      if (to < view.from || from > view.to) return;
      const wide = Math.max(kind === "none" || kind === "empty" ? 3 : 1, x(to) - x(from));
      svg.append(titled(draw("rect", { x: x(from), y, width: wide, height: 23, rx: 2, class: kind }), label + ": " + text + "\nfrom " + printed(from) + more));
      const on = kind === "short" ? "" : text;
      if (on && wide > on.length * 7 + 6) svg.append(draw("text", { x: x(from) + 4, y: y + 16, class: "on-" + kind, "pointer-events": "none" }, on));
    };
    const redraw = () => {
      sized(svg, LEFT + width() + 10, height);
      svg.replaceChildren();
      ruler(svg, view, LEFT, width(), height);
      rows.forEach(([label, value, kind], lane) => {
        const y = 4 + lane * 29;
        svg.append(draw("text", { x: 2, y: y + 16 }, label));
        for (let begin = 0, i = 1; i <= states.length; i++) {
          if (i < states.length && value(states[i]) === value(states[begin])) continue;
          const first = states[begin], to = i < states.length ? Math.max(states[i].ts, first.ts) : view.last;
          const text = String(value(first));
          box(first.ts, to, y, kind(first), label, text, "\n" + first.place);
          if (label === "ISR" && first.isr) {
            for (const [since, until] of short) {
              const from = Math.max(since, first.ts), end = Math.min(until ?? view.last, to);
              if (from < end) box(from, end, y + 0, "short", "ISR", "short: " + text, "\n" + first.place);
            }
            if (x(to) - x(first.ts) > text.length * 7 + 6 && to >= view.from && first.ts <= view.to)
              svg.append(draw("text", { x: x(first.ts) + 4, y: y + 16, class: "on-full", "pointer-events": "none" }, text));
          }
          begin = i;
        }
      });
      cursor.draw(svg, view, x, height - 18);
    };
    const view = new View(low, high + room, redraw);
    zoomable(svg, view, LEFT, width, cursor);
    const at = (ts) => {
      const inside = ts >= view.first && ts <= view.last;
      if (inside && (ts < view.from || ts > view.to)) view.show(ts - (view.to - view.from) / 2, ts + (view.to - view.from) / 2);
      cursor.draw(svg, view, x, height - 18);
      let held = null;
      for (const each of states) if (each.ts <= ts) held = each;
      then.replaceChildren(make("b", {}, printed(ts)), held === null ? ": before the first state that the log shows." : ": leader " + (held.leader < 0 ? "none" : held.leader) + ", ISR " + (held.isr || "empty") + (short.some(([since, until]) => since <= ts && (until === null || ts < until)) ? " (short)" : "") + ", leader epoch " + held.leaderEpoch + ", as " + held.place + " shows it.");
    };
    cursor.follow("lanes", at);
    const legend = make("div", { class: "legend" });
    for (const [kind, text] of [["leader", "leader"], ["full", "ISR, not shown to be short"], ["short", "ISR short: a replica is missing"], ["empty", "ISR empty"], ["none", "no leader"]])
      legend.append(make("span", {}, make("i", { class: kind }), text));
    requestAnimationFrame(() => { redraw(); if (cursor.ts !== null) at(cursor.ts); });
    return [svg, then, legend];
  }

  // ---- Addresses, filters and copying

  // What the reader looks at is the page's address, without a step in its history.
  function address(id) {
    history.replaceState(null, "", "#" + encodeURIComponent(id));
  }

  function to(element) {
    for (let each = element; each; each = each.parentElement) if (each instanceof HTMLDetailsElement) each.open = true;
    if (element.id) address(element.id);
    element.scrollIntoView({ block: element.offsetHeight > innerHeight ? "start" : "center" });
    if (element.dataset.ts) cursorOf(element.closest("[data-cluster]").dataset.cluster).set(Number(element.dataset.ts));
  }

  async function copied(text) {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* an old way is left */ }
    const area = make("textarea", { class: "away" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }

  function copying(text, what) {
    const button = make("button", { type: "button", class: "copy", title: "Copy " + what, "aria-label": "Copy " + what }, "copy");
    button.addEventListener("click", async () => {
      button.textContent = (await copied(text())) ? "copied" : "failed";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    return button;
  }

  for (const line of document.querySelectorAll(".lines .named")) line.append(copying(() => line.querySelector("code").textContent, "the line"));
  for (const command of document.querySelectorAll("code.command")) command.after(copying(() => command.textContent, "the command"));

  class Findings {
    constructor(tools) {
      const section = tools.closest("[data-cluster]");
      this.causes = [...section.querySelectorAll("details.cause")];
      this.items = [...section.querySelectorAll("[data-finding]")];
      this.texts = new Map();
      this.search = make("input", { type: "search", placeholder: "Search findings", "aria-label": "Search findings" });
      this.said = make("span", { class: "quiet", "aria-live": "polite" });
      this.choices = [["verdict", "severity"], ["topic", "topic"], ["brokers", "broker"], ["rule", "cause"]].map(([key, label]) => {
        const values = [...new Set(this.items.flatMap((each) => (key === "brokers" ? each.dataset[key].split(" ") : [each.dataset[key]])).filter((value) => value))];
        if (key === "brokers") values.sort((a, b) => a - b);
        else if (key !== "verdict") values.sort();
        const select = make("select", { "aria-label": "Filter by " + label, "data-filter": key }, make("option", { value: "" }, "any " + label));
        for (const value of values) select.append(make("option", { value }, key === "brokers" ? "broker " + value : value));
        select.addEventListener("change", () => this.choose());
        return [key, select];
      });
      const all = make("button", { type: "button" }, "All");
      all.addEventListener("click", () => { this.search.value = ""; for (const [, select] of this.choices) select.value = ""; this.choose(); });
      this.search.addEventListener("input", () => this.choose());
      tools.append(this.search, ...this.choices.filter(([, select]) => select.options.length > 2).map(([, select]) => select), all, this.said);
      this.choose();
    }
    text(item) {
      if (!this.texts.has(item)) this.texts.set(item, item.textContent.toLowerCase());
      return this.texts.get(item);
    }
    choose() {
      const wanted = this.search.value.trim().toLowerCase();
      const asked = this.choices.filter(([, select]) => select.value);
      let shown = 0;
      for (const item of this.items) {
        const fits = asked.every(([key, select]) => item.dataset[key].split(key === "brokers" ? " " : "\0").includes(select.value)) && (!wanted || this.text(item).includes(wanted));
        item.hidden = !fits;
        if (fits) shown += 1;
      }
      for (const cause of this.causes) {
        cause.hidden = !cause.querySelector("[data-finding]:not([hidden])");
        if (!cause.hidden && (wanted || asked.length)) cause.open = true;
      }
      this.said.textContent = shown.toLocaleString("en") + " of " + count(this.items.length, "finding");
    }
  }
  for (const tools of document.querySelectorAll("[data-findings]")) new Findings(tools);

  // ---- The page

  const root = document.documentElement;
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

  root.classList.add("scripted");
  for (const panel of document.querySelectorAll("[data-timeline], [data-partitions]")) {
    const own = data[panel.dataset.timeline || panel.dataset.partitions];
    if (document.querySelectorAll("[data-timeline]").length < 6 && (panel.dataset.timeline || own.partitions.states <= AT_ONCE)) start(panel);
    else soon.observe(panel);
  }

  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-partition]");
    if (!button) return;
    await reveal(button.closest("[data-cluster]").dataset.cluster, button.dataset.partition);
    const own = button.closest("[data-ts]");
    if (own) cursorOf(own.closest("[data-cluster]").dataset.cluster).set(Number(own.dataset.ts));
  });

  // A drawn move leads to its lines, as its count in the table does.
  for (const move of document.querySelectorAll(".machine .move[data-from]")) {
    const lines = [...move.closest(".panel").querySelectorAll("[data-move]")].find((each) => each.dataset.from === move.dataset.from && each.dataset.to === move.dataset.to);
    if (!lines) continue;
    const wide = move.querySelector("path").cloneNode();  // the drawn line is too thin to be hit
    wide.setAttribute("class", "hit");
    move.append(wide);
    move.classList.add("leads");
    move.addEventListener("click", () => { to(lines); lines.focus({ preventScroll: true }); });
  }

  async function reveal(cluster, name) {
    const panel = document.querySelector('[data-partitions="' + CSS.escape(cluster) + '"]');
    if (!panel) return;
    if (!panel.ready) { soon.unobserve(panel); start(panel); }
    const partitions = await panel.ready;
    if (partitions) partitions.reveal(name);
  }

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }
  const help = document.getElementById("help");
  document.getElementById("theme").addEventListener("click", theme);
  document.getElementById("keys").addEventListener("click", () => help.showModal());

  // The next or previous of the elements that are shown, from the one whose address the page has.
  function step(selector, by) {
    const all = [...document.querySelectorAll(selector)].filter((each) => !each.hidden && !each.closest("[hidden]"));
    const here = decoded();
    const at = all.findIndex((each) => each.id === here || (here && each.querySelector("#" + CSS.escape(here))));
    const next = all[Math.min(Math.max(at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by, 0), all.length - 1)];
    if (next) { to(next); (next.querySelector("summary") || next).focus({ preventScroll: true }); }
  }

  function decoded() {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
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
    else if (event.key === "n") step("details.cause", 1);
    else if (event.key === "p") step("details.cause", -1);
    else if (event.key === "j") step("[data-finding]", 1);
    else if (event.key === "k") step("[data-finding]", -1);
    else if (!(target instanceof Element && target.closest("svg, .list")) && "+-=0".includes(event.key) && shown.length && shown[0].view) shown[0].view.key(event.key);
  });

  // A link into a closed part opens it; one to a partition shows its lanes.
  function opened() {
    const id = decoded();
    const partition = id.match(/^(c\d+)-partition-(\d+)-(.+)$/s);
    if (partition) { reveal(partition[1], partition[2] + " " + partition[3]); return; }
    const target = id && document.getElementById(id);
    if (target) to(target);
  }
  addEventListener("hashchange", opened);
  if (location.hash) opened();

  // On paper all causes are open. Of one that was closed its first finding is shown, without its lines (page.css).
  addEventListener("afterprint", () => {
    for (const cause of document.querySelectorAll("[data-closed]")) { cause.open = false; delete cause.dataset.closed; }
  });
  addEventListener("beforeprint", () => {
    for (const cause of document.querySelectorAll("details.cause:not([open])")) { cause.dataset.closed = ""; cause.open = true; }
    for (const panel of document.querySelectorAll("[data-timeline]")) if (!panel.querySelector("svg")) { soon.unobserve(panel); start(panel); }
  });
  let resizing = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(() => { for (const each of shown) if (each.view) each.redraw(); });
  });
})();
