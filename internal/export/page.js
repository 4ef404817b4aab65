"use strict";
// The page of an exported session. It builds elements, never markup, so nothing in a
// conversation can become code. Lines are parsed when they are shown, so that a long
// session opens at once.
(() => {

// ---- The session -------------------------------------------------------------

const about = JSON.parse(document.getElementById("about").textContent);
const whole = about.scope === "tree";
let blocks = [];            // texts of lines
let entries = [];           // {i, id, up, kids, type, role, time, block, from, to}
let byID = new Map();
let header = {};
let labels = new Map();     // entry -> label
let newest = [];            // by entry: the last one at or below it
let path = [], onPath = new Set(), leaf = -1, home = -1;

const front = /\{"type":"([^"\\]*)","id":"([^"\\]*)","parentId":(?:null|"([^"\\]*)"),"timestamp":"([^"\\]*)"(?:,"message":\{"role":"([^"\\]*)")?/y;

// unescape gives a line back as it was: see page.go.
function unescape(line) {
  if (line.startsWith("=")) {
    const bytes = Uint8Array.from(atob(line.slice(1)), c => c.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  }
  return line.startsWith("-") ? line.slice(1).replace(/\\([^])/g, (both, c) => c === "l" ? "<" : both) : line;
}

function parse(line) {
  try {
    const v = JSON.parse(unescape(line));
    return v && typeof v === "object" && !Array.isArray(v) ? v : null;
  } catch { return null; }
}

function readSession() {
  let first = true;
  for (const el of document.querySelectorAll("script.lines")) {
    const text = el.textContent, block = blocks.length;
    blocks.push(text);
    for (let from = 0; from < text.length;) {
      let to = text.indexOf("\n", from);
      if (to < 0) to = text.length;
      if (first) {
        header = parse(text.slice(from, to)) || {};
        first = false;
      } else {
        readEntry(text, block, from, to);
      }
      from = to + 1;
    }
  }
  const parents = entries.map(e => e.parent === undefined ? -1 : byID.get(e.parent) ?? -1);
  entries.forEach(e => {
    e.up = parents[e.i] === e.i ? -1 : parents[e.i];
    if (e.up >= 0) entries[e.up].kids.push(e.i);
    newest[e.i] = e.i;
  });
  for (let i = entries.length - 1; i >= 0; i--) {
    const up = entries[i].up;
    if (up >= 0 && newest[i] > newest[up]) newest[up] = newest[i];
  }
  const when = i => Date.parse(entries[i].time) || 0;
  for (const e of entries) if (e.kids.length > 1) e.kids.sort((a, b) => when(a) - when(b) || a - b);
  for (const e of entries) {
    if (e.type !== "label") continue;
    const l = body(e.i), target = byID.get(l.targetId);
    if (target === undefined) continue;
    if (typeof l.label === "string" && l.label) labels.set(target, l.label); else labels.delete(target);
  }
  home = byID.get(about.leaf) ?? -1;
}

function readEntry(text, block, from, to) {
  front.lastIndex = text[from] === "-" ? from + 1 : from;
  let m = front.exec(text), type, id, parent, time, role;
  if (m && front.lastIndex <= to) {
    [, type, id, parent, time, role] = m;
  } else {
    const v = parse(text.slice(from, to));
    if (!v || typeof v.type !== "string" || typeof v.id !== "string") return;
    ({ type, id, timestamp: time } = v);
    parent = typeof v.parentId === "string" ? v.parentId : undefined;
    role = v.message && typeof v.message.role === "string" ? v.message.role : undefined;
  }
  const e = { i: entries.length, id, parent, up: -1, kids: [], type, role: type === "message" ? role : undefined, time, block, from, to };
  byID.set(id, e.i);
  entries.push(e);
}

const roots = () => entries.filter(e => e.up < 0).map(e => e.i);
const lineOf = i => { const e = entries[i]; return blocks[e.block].slice(e.from, e.to); };

// body is what an entry says; the ones asked for last are kept.
const kept = new Map();
function body(i) {
  let v = kept.get(i);
  if (v) return v;
  v = parse(lineOf(i)) || { unreadable: true };
  kept.set(i, v);
  if (kept.size > 800) for (const k of kept.keys()) { kept.delete(k); if (kept.size <= 400) break; }
  return v;
}
const object = v => v && typeof v === "object" && !Array.isArray(v) ? v : {};
const message = i => object(body(i).message);
const str = v => typeof v === "string" ? v : "";
const contentOf = c => typeof c === "string" ? [{ type: "text", text: c }] : Array.isArray(c) ? c.map(object) : [];
const textOf = (c, sep) => contentOf(c).filter(b => b.type === "text").map(b => str(b.text)).join(sep);
const callsOf = i => contentOf(message(i).content).filter(b => b.type === "toolCall");

function stand(at) {
  leaf = at;
  path = [];
  for (let i = at; i >= 0 && path.length <= entries.length; i = entries[i].up) path.push(i);
  path.reverse();
  onPath = new Set(path);
}

const speaks = e => e.type === "message" && e.role !== undefined || e.type === "compaction" || e.type === "branch_summary" || e.type === "custom_message";

// isSilent tells of an answer that it is nothing but calls.
function isSilent(i) {
  const e = entries[i];
  if (e.role !== "assistant") return false;
  if (e.silent !== undefined) return e.silent;
  // Most answers tell by their letters, without being parsed.
  const line = kept.has(i) ? "" : lineOf(i);
  if (line.includes('"content":[') && !line.includes('"text"') && !line.includes("\\u")) {
    const said = /^"stopReason":"(\w*)"/.exec(line.slice(line.lastIndexOf('"stopReason":')));
    if (said) return e.silent = said[1] === "stop" || said[1] === "toolUse";
  }
  const m = message(i), stop = str(m.stopReason);
  return e.silent = (!stop || stop === "stop" || stop === "toolUse") && textOf(m.content, "").trim() === "";
}

// ---- Words -------------------------------------------------------------------

// clean takes out what is not to be seen and shows what turns the direction of writing.
function clean(s) {
  if (!/[^\n\t\x20-\x7e]/.test(s)) return s;
  return s.replace(/\x1b\[[\x20-\x3f]*[\x40-\x7e]?|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\ufeff\u061c\u200e\u200f]/g, "")
    .replace(/[\u2028\u2029]/g, "\n")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, c => "<U+" + c.charCodeAt(0).toString(16).toUpperCase() + ">");
}
const oneLine = (s, n = 300) => {
  s = clean(s.slice(0, 4 * n)).replace(/\s+/g, " ").trim();
  return s.length > n ? [...s.slice(0, n)].join("") + "…" : s;
};
const unmarked = s => s.slice(0, 2000).replace(/^[ #>]+/gm, "").replace(/\*\*|__|`/g, "");
const plural = (n, one, many) => n === 1 ? "1 " + one : n.toLocaleString("en") + " " + many;
const count = n => n < 1000 ? String(Math.round(n)) : n < 9950 ? (n / 1e3).toFixed(1) + "k" : n < 999500 ? Math.round(n / 1e3) + "k" :
  n < 9.95e6 ? (n / 1e6).toFixed(1) + "M" : Math.round(n / 1e6) + "M";
const dollars = c => c <= 0 ? "" : c < 0.0005 ? "<$0.001" : "$" + c.toFixed(c < 0.9995 ? 3 : 2);
const number = v => typeof v === "number" && isFinite(v) ? v : 0;
function timeText(t, short) {
  const d = new Date(t);
  if (isNaN(d)) return "";
  const two = n => String(n).padStart(2, "0");
  const clock = two(d.getHours()) + ":" + two(d.getMinutes());
  return short ? clock : d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()) + " " + clock;
}

// callArg says in one line what a tool is called with.
function callArg(name, args) {
  args = object(args);
  const pick = (...keys) => keys.map(k => str(args[k])).find(Boolean) || "";
  const file = pick("path", "file_path", "filePath", "file");
  let s = "";
  switch (name) {
    case "read": s = file && file + lineRange(args); break;
    case "write": case "edit": s = file; break;
    case "bash": case "powershell": s = pick("command", "cmd"); break;
    case "grep": s = pick("pattern"); if (s) s = "/" + s + "/" + (file && " in " + file); break;
    case "find": s = pick("pattern"); if (s) s += file && " in " + file; break;
    case "ls": s = file || "."; break;
  }
  if (!s && Object.keys(args).length) s = JSON.stringify(args);
  return oneLine(s);
}
function lineRange(args) {
  const num = v => v === undefined || v === null || v === "" || !isFinite(Number(v)) ? undefined : Math.trunc(Number(v));
  const limit = num(args.limit);
  let offset = num(args.offset);
  if (offset === undefined && limit === undefined) return "";
  offset ??= 1;
  return ":" + offset + (limit === undefined ? "" : "-" + (offset + limit - 1));
}

// preview says in one line what an entry is: who speaks, and what.
function preview(i) {
  const e = entries[i], b = body(i);
  if (b.unreadable) return ["", "[unreadable]"];
  switch (e.type) {
    case "message": return messagePreview(i, e, object(b.message));
    case "compaction": return ["compaction", count(number(b.tokensBefore)) + " tokens: " + oneLine(unmarked(str(b.summary)))];
    case "branch_summary": return ["summary", oneLine(unmarked(str(b.summary)))];
    case "custom_message": return [oneLine(str(b.customType)), oneLine(textOf(b.content, " "))];
    case "model_change": return ["", "model: " + oneLine(str(b.modelId))];
    case "thinking_level_change": return ["", "thinking: " + oneLine(str(b.thinkingLevel))];
    case "custom": return ["", "custom: " + oneLine(str(b.customType))];
    case "label": return ["", b.label ? "label: " + oneLine(str(b.label)) : "label cleared"];
    case "session_info": return ["", "title: " + (oneLine(str(b.name)) || "none")];
    case "context_edit": return ["", b.replacement ? "replaced for the model" : "hidden from the model"];
    case "usage": return ["", "usage: " + oneLine(str(b.kind))];
  }
  return ["", oneLine(e.type)];
}
function messagePreview(i, e, m) {
  const images = contentOf(m.content).filter(b => b.type === "image").length;
  const withImages = s => images ? (s + " [" + plural(images, "image", "images") + "]").trim() : s;
  switch (e.role) {
    case "user": return ["user", withImages(oneLine(textOf(m.content, " ")))];
    case "assistant": {
      const t = oneLine(unmarked(textOf(m.content, " ")));
      if (t) return ["assistant", t];
      if (m.stopReason === "error") return ["assistant", oneLine(str(m.errorMessage), 80)];
      if (m.stopReason === "aborted") return ["assistant", "(aborted)"];
      const names = new Map();
      for (const c of callsOf(i)) names.set(str(c.name), (names.get(str(c.name)) || 0) + 1);
      return ["assistant", names.size ? "→ " + [...names].map(([n, k]) => oneLine(n) + (k > 1 ? " ×" + k : "")).join(", ") : "(no content)"];
    }
    case "toolResult": {
      const c = callFor(i);
      return ["tool", c ? oneLine(str(c.name)) + " " + callArg(str(c.name), c.arguments) : oneLine(str(m.toolName))];
    }
    case "bashExecution": return ["bash", oneLine(str(m.command))];
    case "system": {
      const n = Object.keys(object(m.sections)).length, t = Array.isArray(m.toolsAdded) ? m.toolsAdded.length : 0;
      return ["system", n || t ? plural(n, "section", "sections") + ", " + plural(t, "tool", "tools") : oneLine(textOf(m.content, " "))];
    }
  }
  return [oneLine(str(e.role)), oneLine(textOf(m.content, " "))];
}
// callFor finds the call that a result answers.
function callFor(i) {
  const id = message(i).toolCallId;
  for (let a = entries[i].up; a >= 0; a = entries[a].up) {
    if (entries[a].role === "user") return null;
    if (entries[a].role === "assistant") return callsOf(a).find(c => c.id === id) || null;
  }
  return null;
}

// ---- Elements ----------------------------------------------------------------

function el(tag, cls, ...children) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  e.append(...children.filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}
function button(label, title, act) {
  const b = el("button", "", label);
  b.type = "button";
  b.title = title;
  b.addEventListener("click", act);
  return b;
}
// fold is something with a headline that opens; what is inside is made then.
function fold(cls, head, make, open) {
  const d = el("details", cls, el("summary", "", ...head));
  let made = false;
  const fill = () => { if (!made && d.open) { made = true; d.append(make()); } };
  d.addEventListener("toggle", fill);
  d.open = !!open;
  fill();
  return d;
}

const pieceSize = 60000, fewLines = 24;
// longText shows a text in pieces, so that no text is too long to be shown.
function longText(into, text, line = s => document.createTextNode(s)) {
  let at = 0;
  const more = () => {
    let end = Math.min(text.length, at + pieceSize);
    const nl = end < text.length ? text.lastIndexOf("\n", end) : -1;
    if (nl > at) end = nl + 1;
    into.append(line(text.slice(at, end)));
    at = end;
  };
  more();
  if (at >= text.length) return into;
  const box = el("div", "long", into);
  const b = button("", "", () => { more(); tell(); });
  const tell = () => {
    if (at >= text.length) b.remove();
    else b.textContent = "Show more: " + Math.round((text.length - at) / 1000).toLocaleString("en") + " kB";
  };
  b.className = "more";
  tell();
  box.append(b);
  return box;
}
function code(text, cls) {
  return longText(el("pre", cls || ""), clean(text).replace(/\n$/, ""));
}
// output is the text a tool gave: the beginning of a long one, the rest on demand.
function output(text, render = code) {
  text = clean(text);
  const lines = text.split("\n", fewLines + 7);
  if (lines.length < fewLines + 6) return render(text);
  const box = el("div", "cut", render(lines.slice(0, fewLines).join("\n")));
  let rest = 0;
  for (let p = text.indexOf("\n"); p >= 0; p = text.indexOf("\n", p + 1)) rest++;
  const b = button("Show all " + (rest + 1).toLocaleString("en") + " lines", "", () => box.replaceWith(render(text)));
  b.className = "more";
  box.append(b);
  return box;
}
function diff(text) {
  const pre = el("pre", "diff");
  return longText(pre, text.replace(/\n$/, ""), piece => {
    const f = document.createDocumentFragment();
    const lines = piece.split("\n");
    if (lines.length && lines[lines.length - 1] === "") lines.pop();
    for (const l of lines) f.append(el("span", l[0] === "+" ? "add" : l[0] === "-" ? "del" : "", l + "\n"));
    return f;
  });
}
function image(b) {
  const type = str(b.mimeType), data = str(b.data);
  if (!/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type) || !/^[A-Za-z0-9+/=]*$/.test(data)) return el("p", "dim", "[image of a kind that is not shown: " + oneLine(type, 40) + "]");
  const img = el("img");
  img.src = "data:" + type + ";base64," + data;
  img.alt = "Image";
  img.loading = "lazy";
  const b2 = button("", "Enlarge", () => {
    const big = img.cloneNode(), d = el("dialog", "big", big);
    d.addEventListener("click", () => d.close());
    d.addEventListener("close", () => d.remove());
    document.body.append(d);
    d.showModal();
  });
  b2.className = "image";
  b2.append(img);
  return b2;
}

// ---- Markdown ----------------------------------------------------------------

function markdown(text) {
  const box = el("div", "md");
  box.dir = "auto";
  text = clean(text);
  if (text.length > 400000) return longText(el("pre", "plain"), text);
  blocksOf(text.replace(/\t/g, "    ").split("\n"), box, 0);
  return box;
}
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const ruleLine = /^ {0,3}([-*_])( *\1){2,} *$/;
function blocksOf(lines, into, depth) {
  let para = [];
  const flush = () => {
    if (para.length) inline(para.join("\n"), into.appendChild(el("p")), 0);
    para = [];
  };
  for (let n = 0; n < lines.length; n++) {
    const l = lines[n];
    let m;
    if (!l.trim()) { flush(); continue; }
    if ((m = /^ {0,3}(`{3,}|~{3,}) *([^`]*)$/.exec(l.length < 500 ? l : ""))) {
      flush();
      const close = new RegExp("^ {0,3}" + m[1][0] + "{" + m[1].length + ",} *$"), from = n + 1;
      while (++n < lines.length && !(lines[n].length < 500 && close.test(lines[n])));
      into.append(codeBlock(lines.slice(from, n).join("\n"), m[2].trim().split(/\s/)[0]));
      continue;
    }
    if (!para.length && /^ {4}/.test(l)) {
      const from = n;
      while (n + 1 < lines.length && (/^ {4}/.test(lines[n + 1]) || !lines[n + 1].trim())) n++;
      into.append(codeBlock(lines.slice(from, n + 1).map(s => s.slice(4)).join("\n").trimEnd(), ""));
      continue;
    }
    if ((m = /^ {0,3}(#{1,6})(?: +|$)/.exec(l))) {
      flush();
      inline(l.slice(m[0].length).replace(/ +#+ *$/, ""), into.appendChild(el("h" + Math.min(6, m[1].length + 1))), 0);
      continue;
    }
    if (l.length < 200 && ruleLine.test(l)) { flush(); into.append(el("hr")); continue; }
    if (/^ {0,3}>/.test(l) && depth < 12) {
      flush();
      const inner = [];
      while (n < lines.length && /^ {0,3}>/.test(lines[n])) inner.push(lines[n++].replace(/^ {0,3}> ?/, ""));
      n--;
      blocksOf(inner, into.appendChild(el("blockquote")), depth + 1);
      continue;
    }
    if ((m = bullet.exec(l)) && depth < 12 && (!para.length || m[3])) {
      flush();
      n = listAt(lines, n, into, depth) - 1;
      continue;
    }
    if (!para.length && l.includes("|") && n + 1 < lines.length && lines[n + 1].length < 2000 && /^[ |:-]+$/.test(lines[n + 1]) && /-/.test(lines[n + 1]) && lines[n + 1].includes("|")) {
      n = tableAt(lines, n, into) - 1;
      continue;
    }
    para.push(l);
  }
  flush();
}
function listAt(lines, n, into, depth) {
  const first = bullet.exec(lines[n]), ordered = /\d/.test(first[2]);
  const list = into.appendChild(el(ordered ? "ol" : "ul"));
  if (ordered) list.start = parseInt(first[2], 10);
  while (n < lines.length) {
    const m = bullet.exec(lines[n]);
    if (!m || /\d/.test(m[2]) !== ordered || lines[n].length < 200 && ruleLine.test(lines[n])) break;
    const indent = m[1].length + m[2].length + Math.min(Math.max(m[3].length, 1), 4);
    const inner = [lines[n].slice(m[0].length)];
    let blank = false, loose = false;
    for (n++; n < lines.length; n++) {
      const l = lines[n];
      if (!l.trim()) { blank = true; inner.push(""); continue; }
      const deep = /^ */.exec(l)[0].length;
      if (deep >= Math.min(indent, m[1].length + 2)) { inner.push(l.slice(Math.min(deep, indent))); loose ||= blank; blank = false; continue; }
      if (blank || bullet.test(l) || /^ {0,3}(#{1,6} |>|`{3}|~{3})/.test(l)) break;
      inner.push(l);
    }
    const li = list.appendChild(el("li"));
    const task = /^\[([ xX])\] /.exec(inner[0]);
    if (task) { inner[0] = inner[0].slice(4); li.className = "task"; li.append(el("span", "box", task[1] === " " ? "☐" : "☑")); }
    blocksOf(inner, li, depth + 1);
    if (!loose) for (const p of [...li.children]) if (p.tagName === "P") p.replaceWith(...p.childNodes, document.createTextNode(" "));
    if (blank && (n >= lines.length || !bullet.test(lines[n]))) break;
  }
  return n;
}
function tableAt(lines, n, into) {
  const cells = l => {
    const out = [];
    let cell = "", tick = false;
    l = l.trim().replace(/^\|/, "");
    for (let k = 0; k < l.length; k++) {
      if (l[k] === "\\" && l[k + 1] === "|") { cell += "|"; k++; continue; }
      if (l[k] === "`") tick = !tick;
      if (l[k] === "|" && !tick) { out.push(cell); cell = ""; continue; }
      cell += l[k];
    }
    if (cell.trim()) out.push(cell);
    return out;
  };
  const align = cells(lines[n + 1]).map(c => (c = c.trim(), c.endsWith(":") ? c.startsWith(":") ? "center" : "right" : ""));
  const row = (l, tag) => {
    const tr = el("tr");
    cells(l).slice(0, 200).forEach((c, k) => {
      const td = tr.appendChild(el(tag, align[k] || ""));
      inline(c.trim(), td, 0);
    });
    return tr;
  };
  const body = el("tbody"), table = el("table", "", el("thead", "", row(lines[n], "th")), body);
  for (n += 2; n < lines.length && lines[n].trim() && lines[n].includes("|"); n++) body.append(row(lines[n], "td"));
  into.append(el("div", "wide", table));
  return n;
}
function codeBlock(text, lang) {
  lang = /^[A-Za-z0-9_+#.-]{1,30}$/.test(lang) ? lang : "";
  const copy = button("copy", "Copy this code", () => copyText(text, copy));
  copy.className = "copy";
  return el("div", "code", el("div", "codehead", el("span", "", lang), copy), lang === "diff" ? diff(text) : code(text));
}

// inline adds the words of a paragraph. Every search has a bound, so that no text
// takes long.
const special = /[\\`*_~\[!<h\n]/g;
const reach = 1500;
function inline(s, into, depth) {
  if (s.length > 100000) { into.append(s); return; }
  let plain = "";
  const flush = () => { if (plain) into.append(plain); plain = ""; };
  const add = (e, to) => { flush(); into.append(e); return to; };
  for (let i = 0; i < s.length;) {
    special.lastIndex = i;
    const hit = special.exec(s), at = hit ? hit.index : s.length;
    plain += s.slice(i, at);
    i = at;
    if (!hit) break;
    const c = s[i], near = s.slice(i, i + reach);
    let m;
    if (c === "\\" && /^\\[!-/:-@\[-`{-~]/.test(near)) { plain += s[i + 1]; i += 2; continue; }
    if (c === "\n") {
      if (/ {2}$/.test(plain) || plain.endsWith("\\")) { plain = plain.replace(/ +$|\\$/, ""); flush(); into.append(el("br")); } else plain += "\n";
      i++;
      while (s[i] === " ") i++;
      continue;
    }
    if (c === "`") {
      const ticks = /^`+/.exec(near)[0];
      let end = i + ticks.length;
      for (;;) {
        end = s.indexOf(ticks, end);
        if (end < 0 || end - i > 20000) { end = -1; break; }
        let run = ticks.length;
        while (s[end + run] === "`") run++;
        if (run === ticks.length) break;
        end += run;
      }
      if (end > 0) {
        let t = s.slice(i + ticks.length, end).replace(/\n/g, " ");
        if (/^ .*[^ ].* $/.test(t)) t = t.slice(1, -1);
        i = add(el("code", "", t), end + ticks.length);
        continue;
      }
      plain += ticks;
      i += ticks.length;
      continue;
    }
    if ((c === "*" || c === "_" || c === "~") && depth < 8) {
      const run = /^(\*+|_+|~+)/.exec(near)[0], want = c === "~" ? 2 : Math.min(run.length, 2), mark = c.repeat(want);
      const before = plain.slice(-1), after = near[run.length];
      let end = -1;
      if (run.length <= 3 && (c !== "~" || run.length === 2) && after !== undefined && !/\s/.test(after) && !(c === "_" && /[\p{L}\p{N}]/u.test(before))) {
        for (let from = want; from < near.length;) {
          const k = near.indexOf(mark, from);
          if (k < 0) break;
          let len = 0;
          while (near[k + len] === c) len++;
          if (k > want && !/\s/.test(near[k - 1]) && (want === 2 ? len >= 2 : len !== 2) && !(c === "_" && /[\p{L}\p{N}]/u.test(near[k + len] || ""))) { end = k + (want === 1 && len === 3 ? 2 : want === 2 && len === 3 ? 1 : 0); break; }
          from = k + len;
        }
      }
      if (end > 0) {
        const e = el(c === "~" ? "del" : want === 2 ? "strong" : "em");
        inline(near.slice(want, end), e, depth + 1);
        i = add(e, i + end + want);
        continue;
      }
      plain += run;
      i += run.length;
      continue;
    }
    if (c === "!" && (m = /^!\[([^\[\]]{0,300})\]\(([^()\s]{1,1000})[^()]{0,200}\)/.exec(near))) {
      i = add(link(m[2], ["[image: " + (m[1] || m[2]) + "]"]), i + m[0].length); // never fetched
      continue;
    }
    if (c === "[" && depth < 8 && (m = /^\[([^\[\]]{1,700})\]\(<?((?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,1000})>?(?:\s+"[^"]{0,200}")?\)/.exec(near))) {
      const words = el("span");
      inline(m[1], words, 8);
      i = add(link(m[2], words.childNodes), i + m[0].length);
      continue;
    }
    if (c === "<" && (m = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,1000})>/.exec(near))) { i = add(link(m[1], [m[1]]), i + m[0].length); continue; }
    if (c === "h" && !/[\p{L}\p{N}]$/u.test(plain) && (m = /^https?:\/\/[^\s<>"`\u3000-\u303f\uff00-\uffef]{1,1000}/.exec(near))) {
      let u = m[0].replace(/[.,;:!?'*_~]+$/, "");
      while (u.endsWith(")") && u.split(")").length > u.split("(").length) u = u.slice(0, -1);
      i = add(link(u, [u]), i + u.length);
      continue;
    }
    plain += c;
    i++;
  }
  flush();
}
// link is a link to where a link may lead; to anywhere else it is words.
function link(to, words) {
  if (!/^(https?:\/\/|mailto:)/i.test(to)) return el("span", "nolink", ...words, " (" + oneLine(to, 200) + ")");
  const a = el("a", "", ...words);
  a.href = to;
  a.title = to;
  a.rel = "noopener noreferrer nofollow";
  a.target = "_blank";
  return a;
}

// ---- The conversation --------------------------------------------------------

const show = { thinking: false, tools: false, hidden: false, compacted: false };
let items = [];      // {i} an entry, or {fold, from, to} what a compaction stands for
let opened = new Set();
const sectionSize = 20;
let main, sections = [];

// layout decides what of the path is shown.
function layout() {
  items = [];
  const cuts = [];
  let start = 0;
  path.forEach((i, at) => {
    if (entries[i].type !== "compaction") return;
    const kept = byID.get(body(i).firstKeptEntryId);
    let to = kept === undefined ? at : path.indexOf(kept);
    if (to < 0 || to > at || kept === i) to = at;
    if (to > start) cuts.push({ fold: i, from: start, to });
    start = Math.max(start, to);
  });
  let next = 0, answer = -1;
  for (let at = 0; at < path.length; at++) {
    const i = path[at], e = entries[i];
    const cut = cuts[next];
    if (cut && cut.from === at) {
      items.push(cut);
      next++;
      if (!show.compacted && !opened.has(cut.fold)) { at = cut.to - 1; answer = -1; continue; }
    }
    if (e.role === "toolResult") {
      if (answer >= 0) continue; // shown with its call
    } else if (e.type === "message") {
      answer = e.role === "assistant" ? i : -1;
    }
    if (isShown(e)) items.push({ i, at });
  }
}
function isShown(e) {
  switch (e.type) {
    case "label": case "custom": case "session_info": case "usage": return show.hidden;
    case "custom_message": return show.hidden || body(e.i).display !== false;
  }
  return show.hidden || speaks(e) || e.type === "model_change" || e.type === "thinking_level_change" || e.type === "context_edit";
}

const watcher = new IntersectionObserver(seen => {
  for (const s of seen) if (s.isIntersecting) fill(s.target);
}, { rootMargin: "1200px 0px" });

function draw() {
  layout();
  watcher.disconnect();
  sections = [];
  for (let at = 0; at < items.length; at += sectionSize) {
    const s = el("section");
    s.from = at;
    s.to = Math.min(items.length, at + sectionSize);
    s.style.minHeight = 60 * (s.to - s.from) + "px";
    sections.push(s);
  }
  if (!items.length) main.replaceChildren(el("p", "dim", "Nothing was said here."));
  else main.replaceChildren(...sections);
  sections.forEach(s => watcher.observe(s));
}
function fill(s) {
  if (s.filled) return;
  s.filled = true;
  watcher.unobserve(s);
  s.replaceChildren(...items.slice(s.from, s.to).map(item => {
    try { return item.fold === undefined ? entryElement(item) : foldElement(item); }
    catch (err) { return el("article", "entry", el("p", "dim", "This entry cannot be shown: " + err.message)); }
  }));
  s.style.minHeight = "";
}
function fillAll() { sections.forEach(fill); }

function foldElement(cut) {
  const open = show.compacted || opened.has(cut.fold);
  const n = cut.to - cut.from;
  const b = button((open ? "▾ " : "▸ ") + plural(n, "entry", "entries") + (open ? " that were compacted later" : " compacted later: show them"),
    "What the model no longer sees, as it was", () => {
      if (opened.has(cut.fold)) opened.delete(cut.fold); else opened.add(cut.fold);
      draw();
      showItem(items.findIndex(x => x.fold === cut.fold), false);
    });
  b.className = "fold";
  b.dataset.fold = cut.fold;
  return b;
}

// find returns the item in which an entry is shown, opening what hides it.
function find(i) {
  const at = path.indexOf(i);
  if (at < 0) return -1;
  let n = items.findIndex(x => x.i === i);
  if (n >= 0) return n;
  const cut = items.find(x => x.fold !== undefined && x.from <= at && at < x.to);
  if (cut && !show.compacted && !opened.has(cut.fold)) { opened.add(cut.fold); draw(); return find(i); }
  if (!show.hidden && !isShown(entries[i])) { setShow("hidden", true); return find(i); }
  // A result is shown with its call.
  for (n = items.length - 1; n >= 0; n--) if (items[n].fold === undefined && items[n].at <= at) return n;
  return -1;
}
function showItem(n, flash, i) {
  if (n < 0) return;
  const near = Math.floor(n / sectionSize);
  for (const k of [near - 1, near, near + 1]) if (sections[k]) fill(sections[k]);
  const section = sections[near];
  let target = section.children[n - section.from];
  if (i !== undefined) target = section.querySelector('[data-result="' + i + '"]') || target;
  const go = () => target.scrollIntoView({ block: "start" });
  go();
  requestAnimationFrame(() => requestAnimationFrame(go)); // once more, when what is above has its height
  if (flash) {
    target.classList.remove("flash");
    void target.offsetWidth;
    target.classList.add("flash");
  }
}
function goTo(i, flash = true) {
  if (!onPath.has(i)) {
    stand(newest[i]);
    opened.clear();
    draw();
    drawTree();
  }
  showItem(find(i), flash, i);
  mark(i);
  history.replaceState(null, "", linkTo(i));
}
const linkTo = i => "#" + new URLSearchParams({ leafId: entries[leaf].id, targetId: entries[i].id });

const speakers = { user: "You", assistant: "Assistant", bashExecution: "Command", system: "Instructions", toolResult: "Tool result" };

function entryElement({ i, at }) {
  const e = entries[i], b = body(i);
  const who = e.type === "message" ? e.role : e.type;
  const a = el("article", "entry " + (/^[a-zA-Z_]+$/.test(who || "") ? who : "other"));
  a.dataset.entry = i;
  if (b.unreadable) { a.append(el("p", "dim", "This line of the session cannot be read.")); return a; }
  const m = object(b.message);
  switch (who) {
    case "user": a.append(top(i, "You"), ...content(m.content, userText)); break;
    case "assistant": answer(a, i, at, m); break;
    case "toolResult": a.append(top(i, "Tool result"), toolCall({ name: str(m.toolName) }, i)); break;
    case "bashExecution": a.append(top(i, "Command" + (m.excludeFromContext ? ", kept from the model" : "")), bash(m)); break;
    case "system": a.append(system(i, m, at)); break;
    case "compaction": a.append(summaryCard(i, "Compacted", b, count(number(b.tokensBefore)) + " tokens summed up", at)); break;
    case "branch_summary": a.append(summaryCard(i, "Summary of another branch", b, "", at)); break;
    case "custom_message": a.append(top(i, oneLine(str(b.customType), 60) || "Message"), ...content(b.content, markdown)); break;
    case "model_change": a.append(thin(i, "Model: " + oneLine(str(b.provider), 60) + "/" + oneLine(str(b.modelId), 100))); break;
    case "thinking_level_change": a.append(thin(i, "Thinking: " + oneLine(str(b.thinkingLevel), 40))); break;
    case "context_edit": a.append(edit(i, b)); break;
    case "label": case "session_info": case "usage": a.append(thin(i, preview(i)[1])); break;
    default:
      a.append(el("div", "", fold("raw", [oneLine(e.type === "message" ? "message: " + (e.role || "") : e.type === "custom" ? str(b.customType) : e.type, 80) || "entry"], () => code(JSON.stringify(b, null, 2)))));
  }
  const w = ways(i);
  if (w) a.append(w);
  return a;
}
// top is the line above what somebody says.
function top(i, who, ...more) {
  const t = el("div", "top", el("span", "who", who), ...more);
  if (labels.has(i)) t.append(el("span", "label", oneLine(labels.get(i), 80)));
  const time = el("time", "", timeText(entries[i].time, true));
  time.title = timeText(entries[i].time) + "  " + entries[i].id;
  t.append(el("span", "space"), time, linkButton(i));
  return t;
}
function linkButton(i) {
  const b = button("link", "Copy a link to this place", () => {
    const to = location.href.split("#")[0].split("?")[0] + linkTo(i);
    copyText(to, b);
    history.replaceState(null, "", linkTo(i));
  });
  b.className = "link";
  return b;
}
function thin(i, words) { return el("p", "thin", el("span", "", words), labels.has(i) ? el("span", "label", oneLine(labels.get(i), 80)) : null); }

function content(c, text) {
  return contentOf(c).map(b => b.type === "text" ? text(str(b.text)) : b.type === "image" ? image(b) : b.type === "thinking" ? thinking(b) :
    el("div", "", fold("raw", [oneLine(str(b.type), 60) || "block"], () => code(JSON.stringify(b, null, 2)))));
}
function userText(text) {
  const m = /^<skill name="([^"\n]{1,200})"[^>\n]{0,2000}>\n/.exec(text), end = m ? text.indexOf("\n</skill>") : -1;
  if (end < 0) return markdown(text);
  const box = el("div", "", fold("skill", [el("span", "tool", "skill"), " " + oneLine(m[1], 100)], () => markdown(text.slice(m[0].length, end))));
  const rest = text.slice(end + "\n</skill>".length).trim();
  if (rest) box.append(markdown(rest));
  return box;
}
function thinking(b) {
  const t = str(b.thinking);
  if (!t.trim()) return b.redacted ? el("p", "thin", "Thinking that the provider keeps to itself") : null;
  return fold("thinking", [el("span", "name", "Thinking"), el("span", "peek", oneLine(unmarked(t), 120))], () => markdown(t), show.thinking);
}
function answer(a, i, at, m) {
  const u = object(m.usage), cost = dollars(number(object(u.cost).total));
  const model = oneLine(str(m.responseModel) || str(m.model), 60);
  const t = top(i, "Assistant", el("span", "model", model));
  if (cost) t.querySelector("time").before(el("span", "cost", cost));
  a.append(t);
  const results = resultsOf(at), used = new Set();
  for (const b of contentOf(m.content)) {
    if (b.type === "toolCall") {
      const r = results.find(k => message(k).toolCallId === b.id && !used.has(k));
      used.add(r);
      a.append(toolCall(b, r));
    } else {
      a.append(...content([b], markdown).filter(Boolean));
    }
  }
  for (const k of results) if (!used.has(k)) a.append(toolCall({ name: str(message(k).toolName) }, k));
  const bad = { error: "Failed", aborted: "Aborted", length: "Cut off: the answer reached its limit", deferred: "Deferred" }[m.stopReason];
  if (bad) a.append(el("p", "bad", bad + (m.errorMessage && m.stopReason !== "length" ? ": " + oneLine(str(m.errorMessage), 1000) : "")));
}
// resultsOf are the results that follow an answer on the path.
function resultsOf(at) {
  const out = [];
  for (let k = at + 1; k < path.length; k++) {
    const e = entries[path[k]];
    if (e.role === "toolResult") out.push(path[k]);
    else if (e.type === "message" || e.type === "compaction") break;
  }
  return out;
}

// ---- Tools -------------------------------------------------------------------

function toolCall(call, result) {
  const name = str(call.name), args = object(call.arguments), m = result === undefined ? null : message(result);
  const bad = m && m.isError === true;
  const head = [el("span", "tool", oneLine(name, 60) || "tool"), el("span", "arg", callArg(name, args))];
  const note = m ? resultNote(name, m) : "no result";
  if (note) head.push(el("span", "note" + (bad || !m ? " bad" : ""), note));
  const d = fold("call" + (bad ? " failed" : ""), head, () => {
    const box = el("div", "inside");
    callParts(name, args, call, m, box);
    if (m) nested(m, box);
    return box;
  }, show.tools);
  if (result !== undefined) d.dataset.result = result;
  return d;
}
function resultNote(name, m) {
  if (m.isError === true) return "failed";
  const d = object(m.details);
  if (typeof d.diff === "string") {
    let add = 0, del = 0;
    for (const l of d.diff.split("\n")) { if (l[0] === "+") add++; else if (l[0] === "-") del++; }
    return "+" + add + " −" + del;
  }
  const t = textOf(m.content, "\n");
  if (!t) return contentOf(m.content).some(b => b.type === "image") ? "image" : "";
  let n = 1;
  for (let p = t.indexOf("\n"); p >= 0; p = t.indexOf("\n", p + 1)) n++;
  return plural(n - (t.endsWith("\n") ? 1 : 0) || 1, "line", "lines");
}
function callParts(name, args, call, m, box) {
  const text = m ? textOf(m.content, "\n") : "";
  const rest = () => { if (text) box.append(output(text, m.isError === true ? t => code(t, "bad") : code)); };
  switch (name) {
    case "bash": case "powershell":
      box.append(code("$ " + (str(args.command) || str(args.cmd)), "command"));
      rest();
      break;
    case "read":
      if (text && m.isError !== true) box.append(output(text, numbered(Math.max(1, Math.trunc(Number(args.offset)) || 1))));
      else rest();
      break;
    case "write":
      box.append(output(str(args.content)));
      if (m && m.isError === true) rest();
      break;
    case "edit": {
      const d = m ? object(m.details).diff : undefined;
      if (typeof d === "string") box.append(output(d, diff));
      else box.append(output(editDiff(args), diff));
      if (m && m.isError === true) rest();
      break;
    }
    case "grep": case "find": case "ls": rest(); break;
    default:
      if (Object.keys(args).length) box.append(code(JSON.stringify(args, null, 2), "json"));
      rest();
  }
  if (call.argumentsError) box.append(el("p", "bad", oneLine(str(call.argumentsError), 500)));
  if (m) for (const b of contentOf(m.content)) if (b.type === "image") box.append(image(b));
  if (!box.childNodes.length) box.append(el("p", "dim", m ? "No output." : "There is no result of this call."));
}
function editDiff(args) {
  const edits = Array.isArray(args.edits) ? args.edits.map(object) : [args];
  const lines = (t, sign) => str(t).split("\n").map(l => sign + " " + l).join("\n");
  return edits.map(x => lines(x.oldText ?? x.old_string ?? "", "-") + "\n" + lines(x.newText ?? x.new_string ?? x.newString ?? "", "+")).join("\n");
}
const numbered = first => text => {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length > 3000 || text.length > pieceSize) return code(text);
  const pre = el("pre", "numbered");
  lines.forEach((l, k) => {
    const s = el("span", "row", l + "\n");
    s.dataset.n = first + k;
    pre.append(s);
  });
  return pre;
};
function nested(m, box) {
  const calls = object(m.nestedCalls).calls;
  if (!Array.isArray(calls) || !calls.length) return;
  box.append(el("div", "nested", ...calls.slice(0, 256).map(object).map(c => el("p", "thin", el("span", "tool", oneLine(str(c.name), 60)), " ",
    callArg(str(c.name), c.arguments), c.status && c.status !== "ok" ? el("span", "note bad", " " + oneLine(str(c.status) + " " + str(c.error), 200)) : null))));
}
function bash(m) {
  const box = el("div", "inside", code("$ " + str(m.command), "command"));
  if (str(m.output)) box.append(output(str(m.output)));
  const note = m.cancelled === true ? "cancelled" : number(m.exitCode) ? "exit " + number(m.exitCode) : "";
  if (note) box.append(el("p", "bad", note));
  return box;
}

// ---- Cards -------------------------------------------------------------------

function system(i, m, at) {
  const first = !path.slice(0, at).some(k => entries[k].role === "system");
  const sections = Object.entries(object(m.sections)), tools = Array.isArray(m.toolsAdded) ? m.toolsAdded.map(object) : [], gone = Array.isArray(m.toolsRemoved) ? m.toolsRemoved.map(object) : [];
  const parts = [];
  if (sections.length) parts.push(plural(sections.length, "section", "sections"));
  if (tools.length) parts.push(plural(tools.length, "tool", "tools") + (first ? "" : " added"));
  if (gone.length) parts.push(plural(gone.length, "tool", "tools") + " removed");
  return fold("card", [el("b", "name", first ? "Instructions" : "Instructions changed"), el("span", "peek", parts.join(", "))], () => {
    const box = el("div", "inside");
    const text = textOf(m.content, "\n");
    if (text) box.append(output(text));
    for (const [name, t] of sections) box.append(fold("raw", [oneLine(name, 60) + (t === null ? ": removed" : "")], () => output(str(t))));
    if (tools.length) box.append(el("p", "tools", ...tools.map(t => { const s = el("span", "tool", oneLine(str(t.name), 60)); s.title = oneLine(str(t.description), 300); return s; })));
    if (gone.length) box.append(el("p", "thin", "Removed: " + gone.map(t => oneLine(str(t.name), 60)).join(", ")));
    return box;
  });
}
function summaryCard(i, title, b, note, at) {
  const cost = dollars(number(object(object(b.usage).cost).total));
  const box = el("div", "summary", top(i, title, el("span", "model", note + (cost ? " · " + cost : ""))));
  box.append(fold("card", [el("span", "name", "Summary"), el("span", "peek", oneLine(unmarked(str(b.summary)), 120))], () => {
    const inner = el("div", "inside", markdown(str(b.summary)));
    const d = object(b.details);
    for (const [key, words] of [["readFiles", "Read"], ["modifiedFiles", "Changed"]]) {
      if (Array.isArray(d[key]) && d[key].length) inner.append(el("p", "thin", words + ": " + d[key].slice(0, 200).map(f => oneLine(str(f), 200)).join(", ")));
    }
    return inner;
  }));
  const cut = items.find(x => x.fold === i);
  if (cut) box.append(button("Show what it stands for: " + plural(cut.to - cut.from, "entry", "entries"), "", () => {
    opened.add(i);
    draw();
    showItem(items.findIndex(x => x.fold === i), true);
  }));
  return box;
}
function edit(i, b) {
  const target = byID.get(b.targetId);
  const words = b.replacement ? "From here on the model sees other words of " : "From here on the model does not see ";
  const p = el("p", "thin", words);
  if (target === undefined) p.append("an entry that is not here");
  else p.append(button(oneLine(preview(target).join(" "), 60), "Go there", () => goTo(target)));
  if (!b.replacement) return p;
  return el("div", "", p, fold("raw", ["The words"], () => el("div", "", ...content(object(b.replacement).content, markdown).filter(Boolean))));
}
// ways are the buttons where the conversation forks.
function ways(i) {
  if (!whole) return null;
  const next = followers(i);
  if (next.length < 2) return null;
  const box = el("div", "ways", el("span", "", plural(next.length, "way", "ways") + " on from here"));
  next.slice(0, 30).forEach(k => {
    const [who, what] = preview(k);
    const b = button(oneLine((who ? who + ": " : "") + what, 70), "Go this way", () => { if (!onPath.has(k)) goTo(k); });
    if (onPath.has(k)) b.setAttribute("aria-current", "true");
    box.append(b);
  });
  if (next.length > 30) box.append(el("span", "dim", "and " + (next.length - 30) + " more in the tree"));
  return box;
}
// followers are the entries that say something and follow one.
function followers(i) {
  const out = [], stack = [...entries[i].kids].reverse();
  while (stack.length) {
    const k = stack.pop();
    if (speaks(entries[k])) out.push(k);
    else stack.push(...[...entries[k].kids].reverse());
  }
  return out;
}

// ---- The tree ----------------------------------------------------------------

const filters = { "default": "Default", "no-tools": "No tools", "user-only": "User", "labeled-only": "Labeled", "all": "All" };
let filter = "default", rows = [], marked = -1, search = [], found = null, treeBox, treeList, status;
const rowHeight = 26;

const isListed = (e, here) => {
  switch (filter) {
    case "all": return e.type !== "usage";
    case "labeled-only": return labels.has(e.i);
    case "user-only": return e.role === "user";
    case "no-tools": if (e.role === "toolResult") return false;
  }
  return speaks(e) && (e.role !== "system" || here);
};
const counted = e => speaks(e) && !(e.role === "system" && hasSystemAbove(e));
const hasSystemAbove = e => { for (let k = e.up; k >= 0; k = entries[k].up) if (entries[k].role === "system") return true; return false; };

// treeRows lays the tree out as bough tree does: the path to where one stands is a
// straight line, the other ways on from a place stand right below it, one level in.
function treeRows() {
  let here = leaf;
  while (here >= 0 && !counted(entries[here])) here = entries[here].up;
  const nodes = new Map(), top = [], kids = k => nodes.get(k).kids;
  const pathFirst = list => { const p = list.find(k => onPath.has(k)); return p === undefined ? list : [p, ...list.filter(k => k !== p)]; };
  const stack = pathFirst(roots()).reverse().map(i => [i, -1]);
  let last = -1;
  while (stack.length) {
    const [i, above] = stack.pop();
    let at = above;
    if (isListed(entries[i], i === here) && (!found || found.has(i)) && (filter === "all" || i === leaf || !isSilent(i))) {
      at = i;
      nodes.set(i, { kids: [] });
      if (onPath.has(i)) last = i;
      if (above < 0) top.push(i); else nodes.get(above).kids.push(i);
    }
    const next = pathFirst(entries[i].kids);
    for (let k = next.length - 1; k >= 0; k--) stack.push([next[k], at]);
  }
  const out = [], bars = [];
  const row = (i, joint) => out.push({ i, bars: bars.slice(), joint, on: onPath.has(i), leaf: i === last });
  const onWay = list => { const p = list.find(k => onPath.has(k)); return p === undefined ? -1 : p; };
  const frames = [{ ways: top, on: true, aside: onWay(top) < 0, k: 0, own: undefined }];
  while (frames.length) {
    const f = frames[frames.length - 1];
    if (!f.ways.length) { frames.pop(); if (f.pop) bars.pop(); continue; }
    if (f.own === undefined) {
      f.own = f.aside ? -1 : f.on && onWay(f.ways) >= 0 ? onWay(f.ways) : f.ways[f.ways.length - 1];
      f.k = 0;
    }
    if (f.ways[f.k] === f.own) f.k++;
    if (f.k < f.ways.length) {
      const i = f.ways[f.k], end = f.own < 0 && f.k === f.ways.length - 1;
      f.k++;
      row(i, end ? "corner" : "tee");
      bars.push(!end);
      frames.push({ ways: kids(i), on: false, aside: false, k: 0, own: undefined, pop: true });
      continue;
    }
    if (f.own < 0) { f.ways = []; continue; }
    row(f.own, "");
    f.on = onPath.has(f.own);
    f.ways = kids(f.own);
    f.aside = f.on && onWay(f.ways) < 0;
    f.own = undefined;
  }
  return out;
}

function drawTree() {
  rows = treeRows();
  treeList.style.height = rows.length * rowHeight + "px";
  const all = entries.filter(e => e.type !== "usage").length;
  status.textContent = rows.length.toLocaleString("en") + " / " + plural(all, "entry", "entries");
  drawRows();
}
function drawRows() {
  const from = Math.max(0, Math.floor(treeBox.scrollTop / rowHeight) - 10), to = Math.min(rows.length, from + Math.ceil(treeBox.clientHeight / rowHeight) + 20);
  const out = [];
  for (let n = from; n < to; n++) out.push(rowElement(rows[n], n));
  treeList.replaceChildren(...out);
}
function rowElement(r, n) {
  const [who, what] = preview(r.i), e = entries[r.i];
  const b = button("", "", () => { goTo(r.i); if (narrow.matches) closeSide(); });
  b.dataset.row = r.i;
  b.className = "row" + (r.on ? " on" : "") + (r.leaf ? " leaf" : "") + (r.i === marked ? " marked" : "");
  b.style.top = n * rowHeight + "px";
  const deep = r.bars.length > 8;
  if (deep) b.append(el("i", "deep", "‥" + (r.bars.length - 8)));
  for (const bar of r.bars.slice(-8)) b.append(el("i", bar ? "rail" : ""));
  if (r.joint) b.append(el("i", r.joint));
  b.append(el("i", r.joint ? "" : r.on ? "dot" : "nodot"));
  if (labels.has(r.i)) b.append(el("span", "label", oneLine(labels.get(r.i), 40)));
  if (who) b.append(el("span", "who w-" + (/^[a-z]+$/.test(who) ? who : "other"), who));
  b.append(el("span", "what", what));
  b.title = timeText(e.time) + "  " + oneLine(what, 200);
  return b;
}
function mark(i) {
  marked = i;
  let n = rows.findIndex(r => r.i === i);
  if (n >= 0) {
    const y = n * rowHeight;
    if (y < treeBox.scrollTop + rowHeight || y > treeBox.scrollTop + treeBox.clientHeight - 2 * rowHeight) treeBox.scrollTop = y - treeBox.clientHeight / 2;
  }
  drawRows();
}

// look searches for entries that have all words, a few at a time.
let looking = 0;
function textFor(i) {
  const e = entries[i], b = body(i), parts = [labels.get(i) || "", e.role || e.type, ...preview(i)];
  if (e.role === "user" || e.role === "assistant") parts.push(textOf(message(i).content, " "));
  if (typeof b.summary === "string") parts.push(b.summary);
  return clean(parts.join(" ")).toLowerCase();
}
function look(words) {
  const mine = ++looking;
  search = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (!search.length) { found = null; drawTree(); mark(marked); return; }
  const hits = new Set();
  let i = 0;
  const step = () => {
    if (mine !== looking) return;
    const end = performance.now() + 30;
    for (; i < entries.length && performance.now() < end; i++) {
      if (entries[i].type === "usage") continue;
      const t = textFor(i);
      if (search.every(w => t.includes(w))) hits.add(i);
    }
    if (i < entries.length) {
      status.textContent = "Searching, " + Math.floor(100 * i / entries.length) + " %";
      setTimeout(step);
      return;
    }
    found = hits;
    treeBox.scrollTop = 0;
    drawTree();
  };
  step();
}

// ---- The page ----------------------------------------------------------------

const narrow = matchMedia("(max-width: 800px)");
function closeSide() { document.body.classList.remove("side"); }
function toggleSide() { document.body.classList.toggle(narrow.matches ? "side" : "noside"); drawRows(); }

function copyText(text, b) {
  const was = b.textContent;
  const done = ok => { b.textContent = ok ? "copied" : "not copied"; setTimeout(() => { b.textContent = was; }, 1200); };
  const old = () => {
    const t = el("textarea");
    t.value = text;
    document.body.append(t);
    t.select();
    let ok = false;
    try { ok = document.execCommand("copy"); } catch { }
    t.remove();
    done(ok);
  };
  if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).then(() => done(true), old);
  else old();
}

// download gives the lines of the session as a file, to the byte.
function download() {
  const parts = [], code = new TextEncoder();
  for (const text of blocks) {
    if (!/^[-=]/m.test(text)) { parts.push(text); continue; }
    for (const line of text.split("\n").slice(0, -1)) {
      if (line.startsWith("=")) parts.push(Uint8Array.from(atob(line.slice(1)), c => c.charCodeAt(0)), "\n");
      else parts.push(code.encode(unescape(line) + "\n"));
    }
  }
  const a = el("a");
  a.href = URL.createObjectURL(new Blob(parts, { type: "application/jsonl" }));
  a.download = about.file;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

function setShow(what, on) {
  show[what] = on;
  document.querySelector('[data-show="' + what + '"]').setAttribute("aria-pressed", on);
  if (what === "thinking" || what === "tools") {
    for (const d of main.querySelectorAll(what === "tools" ? "details.call" : "details.thinking")) d.open = on;
    return;
  }
  const here = firstVisible();
  if (what === "compacted") opened.clear();
  draw();
  if (here < 0) return;
  const at = path.indexOf(here), cut = items.findIndex(x => x.fold !== undefined && x.from <= at && at < x.to);
  showItem(what === "compacted" && !on && cut >= 0 ? cut : find(here), false);
}
// firstVisible is the entry at the top of the window.
function firstVisible() {
  for (const a of main.querySelectorAll("article")) if (a.getBoundingClientRect().bottom > 80) return Number(a.dataset.entry);
  return -1;
}

function totals() {
  const t = { user: 0, assistant: 0, tools: 0, calls: 0, input: 0, output: 0, read: 0, write: 0, cost: 0, models: new Set(), first: "", last: "" };
  const box = document.getElementById("totals");
  const add = u => {
    u = object(u);
    t.input += number(u.input); t.output += number(u.output); t.read += number(u.cacheRead); t.write += number(u.cacheWrite);
    t.cost += number(object(u.cost).total);
  };
  let i = 0;
  const one = (name, value) => value ? [el("dt", "", name), el("dd", "", value)] : [];
  const step = () => {
    const end = performance.now() + 25;
    for (; i < entries.length && performance.now() < end; i++) {
      const e = entries[i];
      t.first ||= e.time;
      t.last = e.time;
      if (e.role === "user") { t.user++; continue; }
      const line = lineOf(i);
      if (e.role === "toolResult") t.tools++;
      if (e.role !== "assistant" && !line.includes('"usage"') && !line.startsWith("=")) continue;
      const v = parse(line) || {}, m = object(v.message);
      if (e.role === "assistant") {
        t.assistant++;
        t.calls += contentOf(m.content).filter(b => b.type === "toolCall").length;
        if (m.model) t.models.add(str(m.provider) + "/" + (str(m.responseModel) || str(m.model)));
      }
      if (e.type === "message") { if (e.role === "assistant" || e.role === "toolResult") add(m.usage); }
      else if (e.type === "usage" || e.type === "compaction" || e.type === "branch_summary") add(v.usage);
    }
    const models = [...t.models].map(m => oneLine(m, 60));
    box.replaceChildren(
      ...one("Session", str(header.id)), ...one("Folder", oneLine(str(header.cwd), 300)),
      ...one("From", timeText(t.first)), ...one("To", timeText(t.last)),
      ...one(models.length === 1 ? "Model" : "Models", models.slice(0, 6).join(", ") + (models.length > 6 ? ", …" : "")),
      ...one("Messages", t.user + " yours, " + plural(t.assistant, "answer", "answers") + ", " + plural(t.calls, "call", "calls")),
      ...one("Tokens", count(t.input) + " in, " + count(t.output) + " out" + (t.read || t.write ? ", cache " + count(t.read) + " read, " + count(t.write) + " written" : "")),
      ...one("Cost", dollars(t.cost) || "none told"));
    if (i < entries.length) {
      box.classList.add("counting");
      setTimeout(step);
    } else box.classList.remove("counting");
  };
  step();
}

const keys = [["/", "search"], ["j, k", "next, previous message of yours"], ["t", "thinking"], ["o", "tool outputs"], ["h", "hidden entries"], ["c", "what was compacted"],
  ["b", "tree"], ["g, G", "beginning, end"], ["Esc", "clear the search; back to where the export stands"], ["?", "these keys"]];
function help() {
  const d = el("dialog", "help", el("h2", "", "Keys"), el("dl", "", ...keys.flatMap(([k, what]) => [el("dt", "", k), el("dd", "", what)])), button("Close", "", () => d.close()));
  d.addEventListener("close", () => d.remove());
  document.body.append(d);
  d.showModal();
}
function step(by) {
  const here = firstVisible();
  let n = items.findIndex(x => x.i === here);
  if (n < 0) n = by > 0 ? -1 : items.length;
  for (n += by; n >= 0 && n < items.length; n += by) if (items[n].i !== undefined && entries[items[n].i].role === "user") { goTo(items[n].i); return; }
}
function onKey(ev) {
  const input = document.getElementById("search");
  if (ev.key === "Escape") {
    if (document.querySelector("dialog[open]")) return;
    if (narrow.matches && document.body.classList.contains("side")) { closeSide(); return; }
    const had = input.value;
    input.value = "";
    input.blur();
    look("");
    if (!had && leaf !== home && home >= 0) { stand(home); opened.clear(); draw(); drawTree(); showItem(items.length - 1); }
    return;
  }
  if (ev.ctrlKey || ev.metaKey || ev.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName || "")) return;
  const act = {
    "/": () => { if (narrow.matches) document.body.classList.add("side"); else document.body.classList.remove("noside"); input.focus(); },
    j: () => step(1), k: () => step(-1), b: toggleSide, "?": help,
    t: () => setShow("thinking", !show.thinking), o: () => setShow("tools", !show.tools),
    h: () => setShow("hidden", !show.hidden), c: () => setShow("compacted", !show.compacted),
    g: () => scrollTo(0, 0), G: () => showItem(items.length - 1),
  }[ev.key];
  if (act) { ev.preventDefault(); act(); }
}

function build() {
  const toggle = (what, words, key) => {
    const b = button(words, words + " (" + key + ")", () => setShow(what, !show[what]));
    b.dataset.show = what;
    b.setAttribute("aria-pressed", show[what]);
    return b;
  };
  const input = el("input");
  input.id = "search";
  input.type = "search";
  input.placeholder = "Search";
  input.setAttribute("aria-label", "Search the conversation");
  let wait;
  input.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(() => look(input.value), 120); });
  const choose = el("div", "filters", ...Object.entries(filters).map(([f, words]) => {
    const b = button(words, "", () => {
      filter = f;
      for (const o of choose.children) o.setAttribute("aria-pressed", o === b);
      drawTree();
      mark(marked);
    });
    b.setAttribute("aria-pressed", f === filter);
    return b;
  }));
  treeList = el("div", "rows");
  treeBox = el("div", "tree", treeList);
  treeBox.addEventListener("scroll", () => requestAnimationFrame(drawRows));
  status = el("p", "status");
  const grip = el("div", "grip");
  grip.addEventListener("pointerdown", ev => {
    grip.setPointerCapture(ev.pointerId);
    const move = e => setWidth(e.clientX);
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move), { once: true });
  });
  const side = el("nav", "", input, choose, treeBox, status, grip);
  side.setAttribute("aria-label", "Tree");
  const open = button("Tree", "Tree (b)", toggleSide);
  open.className = "open";
  const totalsBox = el("dl");
  totalsBox.id = "totals";
  const bar = el("div", "topbar", open, el("span", "space"), toggle("thinking", "Thinking", "t"), toggle("tools", "Tools", "o"), toggle("compacted", "Compacted", "c"),
    toggle("hidden", "Hidden", "h"), button("JSONL", "Download the session as a file that bough and pi read", download), button("?", "Keys", help));
  main = el("main");
  const shade = el("div", "shade");
  shade.addEventListener("click", closeSide);
  document.body.append(side, shade, el("div", "page", bar, el("header", "", el("h1", "", clean(about.title)), totalsBox), main,
    el("footer", "", (whole ? "The whole tree" : "One branch") + ", exported by bough " + timeText(about.made))));
  const width = (() => { try { return Number(localStorage.getItem("bough.tree")); } catch { return 0; } })();
  if (width) setWidth(width);
}
function setWidth(x) {
  x = Math.round(Math.min(Math.max(x, 200), innerWidth - 300));
  document.documentElement.style.setProperty("--side", x + "px");
  try { localStorage.setItem("bough.tree", x); } catch { }
}

function fromAddress() {
  const q = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search.slice(1));
  const l = byID.get(q.get("leafId")), t = byID.get(q.get("targetId"));
  if (l !== undefined) stand(l);
  else if (t !== undefined && !onPath.has(t)) stand(newest[t]);
  return t;
}

function start() {
  readSession();
  build();
  stand(home);
  const target = fromAddress();
  draw();
  drawTree();
  totals();
  if (target !== undefined && onPath.has(target)) { showItem(find(target), true, target); mark(target); }
  else { fillFirst(); treeBox.scrollTop = Math.max(0, rows.findIndex(r => r.leaf) * rowHeight - treeBox.clientHeight / 2); }
  drawRows();
  addEventListener("keydown", onKey);
  addEventListener("resize", drawRows);
  addEventListener("hashchange", () => {
    const t = fromAddress();
    draw();
    drawTree();
    if (t !== undefined && onPath.has(t)) { showItem(find(t), true, t); mark(t); }
  });
  addEventListener("beforeprint", fillAll);
  document.documentElement.dataset.ready = "true";
}
function fillFirst() { sections.slice(0, 2).forEach(fill); }

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();

})();
