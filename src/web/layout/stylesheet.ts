/** @module The web interface's only style sheet. Pages add no other styles. */

import { BOARD_STYLE } from "./board_style.ts";

const MEASURES = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f1; --surface: #fff; --sunken: #efede7; --ink: #16191b; --soft: #575e63; --line: #dcd9d0;
  --line-strong: #8b9094; --accent: #0a6a4d; --accent-hover: #07543d; --on-accent: #fff; --tint: #e3f0ea;
  --danger: #a8241c; --danger-tint: #fbeae8; --warn: #7a5200; --warn-tint: #fbf1dc;
  --night: #0b2a21; --night-2: #0f3a2d; --night-ink: #eaf4ef; --night-soft: #9cc4b3; --glow: #5fd6a8;
  --shadow: 0 1px 2px rgb(22 25 27 / .05), 0 12px 32px -16px rgb(22 25 27 / .18);
  --radius: .75rem; --small: .5rem;
  --sans: "Inter", "SF Pro Text", system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1213; --surface: #171b1c; --sunken: #1e2324; --ink: #eceeec; --soft: #a0a8a8; --line: #2b3132;
    --line-strong: #6d7677; --accent: #55cf9f; --accent-hover: #7adfb7; --on-accent: #05231a; --tint: #14312a;
    --danger: #ff9a8f; --danger-tint: #3a1a17; --warn: #f0c36a; --warn-tint: #33270f;
    --night: #0a1f19; --night-2: #0e2d24;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 16px 40px -20px rgb(0 0 0 / .7);
  }
}
`;

const GROUND = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); -webkit-font-smoothing: antialiased; }
h1, h2, p, ul, ol, dl, dd, figure, fieldset { margin: 0; padding: 0; }
h1 { font-size: clamp(1.65rem, 1.35rem + 1.2vw, 2.1rem); line-height: 1.15; letter-spacing: -.025em; font-weight: 680; text-wrap: balance; }
h1, h2 { overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; line-height: 1.3; letter-spacing: -.012em; font-weight: 650; }
p { text-wrap: pretty; }
ul, ol { list-style: none; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; }
a:hover { color: var(--accent-hover); text-decoration-thickness: 2px; }
code, kbd, .mono { font-family: var(--mono); font-size: .925em; font-variant-ligatures: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
::selection { background: var(--accent); color: var(--on-accent); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .6rem 1rem; background: var(--accent); color: var(--on-accent); border-radius: var(--small); z-index: 2; }
.skip:focus { top: 1rem; color: var(--on-accent); }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
@media (scripting: none) { [data-copy] { display: none; } }
.hush { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.stack { display: grid; gap: 1.25rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; }
.row > select { width: auto; }
.mark { display: inline-flex; align-items: center; gap: .6rem; color: inherit; text-decoration: none; font: 700 1.15rem/1 var(--mono); letter-spacing: -.04em; }
.mark:hover { color: inherit; }
.mark svg { width: 1.75rem; height: 1.75rem; display: block; }
`;

const ENTRY = `
.entry { min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
.entry > aside { position: relative; overflow: hidden; background: linear-gradient(160deg, var(--night-2), var(--night)); color: var(--night-ink); padding: 1.1rem 1.25rem; }
.entry > aside .contours { position: absolute; inset: 0; width: 100%; height: 100%; color: var(--glow); opacity: .2; }
.entry > aside .mark, .entry > aside .pitch, .entry > aside footer { position: relative; }
.entry > aside :focus-visible { outline-color: var(--glow); }
.pitch, .entry > aside footer { display: none; }
.entry > main { padding: 2.25rem 1.25rem 3rem; display: grid; justify-items: center; align-content: start; }
.sheet { width: 100%; max-width: 25rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; overflow-wrap: anywhere; }
.sheet.roomy { max-width: 31rem; }
.sheet > header { display: grid; gap: .5rem; }
.sheet > header > .big { margin-bottom: .75rem; }
.aside-link { padding-top: 1.25rem; border-top: 1px solid var(--line); color: var(--soft); }
@media (min-width: 60rem) {
  .entry { grid-template-columns: minmax(22rem, 5fr) 7fr; grid-template-rows: none; }
  .entry > aside { padding: 2.5rem 3rem; display: flex; flex-direction: column; justify-content: space-between; gap: 2rem; }
  .pitch { display: grid; gap: 1.75rem; }
  .pitch p { font-size: clamp(2rem, 2.7vw, 2.9rem); line-height: 1.08; letter-spacing: -.035em; font-weight: 680; text-wrap: balance; max-width: 14em; }
  .pitch pre { margin: 0; padding: 1.1rem 1.25rem; border: 1px solid rgb(255 255 255 / .14); border-radius: var(--radius); background: rgb(0 0 0 / .22); color: var(--night-soft); font: .9rem/1.75 var(--mono); max-width: 27rem; overflow: hidden; }
  .pitch pre b { color: var(--night-ink); font-weight: 500; }
  .pitch pre i { color: var(--glow); font-style: normal; }
  .entry > aside footer { display: block; color: var(--night-soft); font-size: .875rem; }
  .entry > main { padding: 3rem; align-content: center; }
}
`;

const SETTINGS = `
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .35rem 1.25rem; background: var(--night); color: var(--night-ink); }
.bar .who { display: flex; align-items: center; gap: 1rem; min-width: 0; font-size: .9rem; }
.bar .who span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--night-soft); }
.bar :focus-visible { outline-color: var(--glow); }
.bar .plain { color: var(--night-ink); }
.shell { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem 4rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
.rooms { display: flex; gap: .25rem; margin: 0 -1.25rem; padding: .6rem .5rem; overflow-x: auto; scrollbar-width: none; border-bottom: 1px solid var(--line); }
.rooms::-webkit-scrollbar { display: none; }
.rooms h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.rooms > div { position: relative; flex: none; }
.rooms ul { display: flex; gap: .25rem; }
.rooms a:focus-visible { outline-offset: -3px; }
.rooms a { display: block; padding: .45rem .75rem; border-radius: var(--small); color: var(--soft); text-decoration: none; white-space: nowrap; font-weight: 520; }
.rooms a:hover { color: var(--ink); background: var(--sunken); }
.rooms a[aria-current] { color: var(--accent); background: var(--tint); }
.content { display: grid; gap: 1.5rem; align-content: start; min-width: 0; }
.content > header { display: grid; gap: .4rem; padding: .5rem 0 .25rem; }
@media (min-width: 60rem) {
  .bar { padding: .35rem 2.5rem; }
  .shell { grid-template-columns: 13.5rem minmax(0, 1fr); gap: 3.5rem; padding: 2.5rem 2.5rem 5rem; }
  .rooms { display: grid; gap: 1.75rem; margin: 0; padding: 0; overflow: visible; border: 0; align-content: start; }
  .rooms > div { display: grid; gap: .5rem; min-width: 0; }
  .rooms h2 { position: static; width: auto; height: auto; clip-path: none; padding: 0 .75rem; font: 600 .75rem/1 var(--mono); letter-spacing: .06em; color: var(--soft); text-transform: uppercase; }
  .rooms ul { flex-direction: column; }
  .rooms a { overflow: hidden; text-overflow: ellipsis; }
  .content > header { padding-top: 0; }
}
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); min-width: 0; }
.card > header { padding: 1.25rem 1.5rem 0; display: grid; gap: .3rem; }
.card > header > p { color: var(--soft); }
.card > header:last-child { padding-bottom: 1.25rem; }
.card > .body, .card > form > .body { padding: 1.25rem 1.5rem 1.5rem; display: grid; gap: 1.25rem; }
.card > .body > form, .card details form { max-width: 27rem; }
.items > li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1.25rem; padding: 1rem 1.5rem; border-top: 1px solid var(--line); }
.items:first-child > li:first-child { border-top: 0; }
.card > header + .items { margin-top: 1.25rem; }
.items .what { display: grid; gap: .1rem; min-width: 0; flex: 1 1 16rem; overflow-wrap: anywhere; }
.items .what > :first-child { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; font-weight: 580; }
.items .what > :not(:first-child) { color: var(--soft); font-size: .9rem; }
.items a.what { color: inherit; text-decoration: none; }
.items a.what:hover > :first-child { color: var(--accent); }
`;

const REFERENCE = `
.call { display: flex; flex-wrap: wrap; align-items: baseline; gap: .6rem; overflow-wrap: anywhere; }
.verb { min-width: 4.25rem; padding: .15rem .5rem; border-radius: 6px; font: 650 .75rem/1.5 var(--mono); text-align: center; background: var(--sunken); color: var(--soft); }
.verb.get { background: var(--tint); color: var(--accent); }
.verb.post, .verb.put, .verb.patch { background: var(--warn-tint); color: var(--warn); }
.verb.delete { background: var(--danger-tint); color: var(--danger); }
article.card section { display: grid; gap: .6rem; min-width: 0; }
h3 { margin: 0; font-size: .95rem; font-weight: 650; }
.fields { display: grid; border-top: 1px solid var(--line); }
.fields > div { display: grid; gap: .2rem 1.25rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
.fields dt { display: flex; flex-wrap: wrap; align-items: baseline; gap: .5rem; font-weight: 580; overflow-wrap: anywhere; }
.fields dd { overflow-wrap: anywhere; }
.fields .type { display: block; color: var(--soft); font: .85rem/1.5 var(--mono); }
@media (min-width: 48rem) { .fields > div { grid-template-columns: 13rem minmax(0, 1fr); } }
`;

const PROSE = `
.rooms.contents { grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.rooms.contents a { white-space: normal; padding-block: .25rem; font-size: .925rem; }
.rooms.contents summary { padding: 0 .75rem; font: 600 .75rem/1.6 var(--mono); letter-spacing: .06em; color: var(--soft); text-transform: uppercase; }
.rooms.contents ul { margin-top: .35rem; }
@media (max-width: 59.99rem) { .rooms.contents { display: none; } .rooms.contents + .content { padding-top: 1.5rem; } }
.docs-search { display: flex; align-items: center; gap: .5rem; }
.docs-search input:where([type=search]) { min-height: 2.25rem; padding: .25rem .7rem; width: 11rem; font-size: .9rem; }
@media (max-width: 40rem) { .bar .docs-search button, .bar .docs-search ~ a { display: none; } .docs-search input:where([type=search]) { width: 7rem; } }
@media (max-width: 22rem) { .docs-search input:where([type=search]) { width: 5rem; } }
.prose { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; max-width: 48rem; overflow-wrap: anywhere; }
.prose h2, .prose h3, .prose h4 { margin-top: 1rem; }
.prose ul { list-style: disc; padding-left: 1.4rem; }
.prose ol { list-style: decimal; padding-left: 1.6rem; }
.prose li + li { margin-top: .35rem; }
.prose .wide { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--small); }
.prose table { border-collapse: collapse; width: 100%; font-size: .925rem; overflow-wrap: normal; }
.prose th, .prose td { overflow-wrap: normal; padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.anchor::before { content: "#"; margin-inline-start: .4em; }
.prose .anchor { color: var(--soft); text-decoration: none; opacity: 0; }
.prose :hover > .anchor, .anchor:focus-visible { opacity: 1; }
.prose .file { margin-bottom: -.6rem; color: var(--soft); font: .85rem/1.4 var(--mono); }
.prose blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line-strong); color: var(--soft); }
.toc { display: none; }
.toc-above ul, .toc ul { display: grid; gap: .35rem; font-size: .875rem; }
.toc-above ul { padding-top: .6rem; }
.toc a, .toc-above a { color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
.toc a[aria-current] { color: var(--accent); font-weight: 560; }
.toc a:hover, .toc-above a:hover { color: var(--accent); text-decoration: underline; }
.toc .deeper, .toc-above .deeper { padding-left: .9rem; }
.toc h2 { margin-bottom: .6rem; font: 600 .75rem/1 var(--mono); letter-spacing: .06em; color: var(--soft); text-transform: uppercase; }
@media (min-width: 80rem) {
  .shell.with-toc { max-width: 88rem; }
  .shell.with-toc > .content { grid-template-columns: minmax(0, 1fr) 13rem; column-gap: 3rem; }
  .shell.with-toc > .content > * { grid-column: 1; }
  .shell.with-toc .toc-above { display: none; }
  .shell.with-toc > .content > .toc { display: block; grid-column: 2; grid-row: 1 / span 4; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }
}
.neighbors { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .75rem; max-width: 48rem; }
.neighbors a { display: grid; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: var(--small); text-decoration: none; font-weight: 580; }
.neighbors a:hover { border-color: var(--accent); }
.neighbors span { color: var(--soft); font-size: .8rem; font-weight: 400; }
.neighbors [rel=next] { margin-left: auto; text-align: right; }
.copyable { position: relative; min-width: 0; }
@media (min-width: 40rem) { .copyable .terminal { padding-right: 5rem; } }
@media (max-width: 40rem) { .copyable .terminal { padding-top: 2.75rem; } }
.copyable .copy { position: absolute; top: .5rem; right: .5rem; min-height: 1.9rem; padding: .1rem .6rem; font-size: .8rem; background: var(--night-2); color: var(--night-ink); border-color: var(--night-soft); }
.terminal b { font-weight: 600; }
.hljs-comment, .hljs-quote, .hljs-meta { color: var(--night-soft); }
.hljs-string, .hljs-regexp, .hljs-symbol { color: #f4cf86; }
.hljs-keyword, .hljs-built_in, .hljs-literal, .hljs-section, .hljs-tag, .hljs-name { color: var(--glow); }
.hljs-number, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-title { color: #a9d8ff; }
`;

const FORMS = `
form { display: grid; gap: 1.15rem; }
form.inline { display: contents; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: .4rem; }
.field label, legend { font-weight: 580; font-size: .95rem; }
.field .hint { color: var(--soft); font-size: .875rem; }
.field .wrong { color: var(--danger); font-size: .9rem; font-weight: 520; }
input:where(:not([type=radio], [type=hidden])), select { width: 100%; min-height: 2.85rem; padding: .55rem .8rem; font: inherit; color: var(--ink); background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--small); }
input:hover, select:hover { border-color: var(--ink); }
input:focus-visible, select:focus-visible { outline-offset: 0; border-color: var(--accent); border-radius: var(--small); }
input::file-selector-button { margin: 0 .8rem 0 0; padding: .25rem .8rem; font: 600 .9rem/1.2 var(--sans); color: var(--ink); background: var(--sunken); border: 1px solid var(--line-strong); border-radius: var(--small); cursor: pointer; }
input[aria-invalid=true] { border-color: var(--danger); }
input.code { font: 600 1.3rem/1.2 var(--mono); letter-spacing: .12em; text-transform: uppercase; }
button, .button { min-height: 2.85rem; display: inline-flex; align-items: center; justify-content: center; padding: .55rem 1.15rem; font: 600 1rem/1.2 var(--sans); border-radius: var(--small); border: 1px solid transparent; background: var(--accent); color: var(--on-accent); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--accent-hover); color: var(--on-accent); }
button:active { transform: translateY(1px); }
button.quiet, .button.quiet { background: var(--surface); color: var(--ink); border-color: var(--line-strong); }
button.quiet:hover, .button.quiet:hover { border-color: var(--ink); background: var(--sunken); color: var(--ink); }
button.danger { background: transparent; color: var(--danger); border-color: currentColor; }
form > button.danger { justify-self: start; }
button.danger:hover { background: var(--danger-tint); color: var(--danger); }
button.little { min-height: 2.25rem; padding: .3rem .8rem; font-size: .9rem; }
button.plain { min-height: 2.25rem; padding: .2rem 0; background: none; border: 0; font-weight: 520; font-size: .9rem; text-decoration: underline; text-underline-offset: .2em; color: inherit; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; }
.actions > * { flex: 1 1 9rem; white-space: nowrap; }
.card > .body > .actions > * { flex: 0 1 auto; }
.side { display: grid; gap: 1rem; }
@media (min-width: 40rem) { .side { grid-template-columns: 1fr 11rem auto; align-items: end; } .card > .body > form.side { max-width: none; } .side.short { grid-template-columns: 11rem auto; justify-content: start; } }
.choices { border: 0; display: grid; gap: .6rem; min-width: 0; }
.choices legend { padding: 0; margin-bottom: .5rem; }
.choice { display: flex; align-items: center; gap: .9rem; padding: .8rem 1rem; border: 1px solid var(--line-strong); border-radius: var(--small); background: var(--surface); cursor: pointer; }
.choice:hover { border-color: var(--ink); }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--tint); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice input { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; margin: 0; flex: none; }
.choice input:focus-visible { outline: none; }
.choice > span { display: grid; min-width: 0; overflow-wrap: anywhere; }
`;

const DIALOGS = `
dialog { width: min(32rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); margin: auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--ink); box-shadow: 0 24px 80px -16px rgb(0 0 0 / .5); overflow: auto; }
dialog::backdrop { background: rgb(8 20 16 / .55); }
dialog > button { margin-top: .75rem; width: 100%; }
dialog .sheet { max-width: none; }
.palette { margin-top: 12vh; padding: .6rem; width: min(38rem, calc(100vw - 2rem)); overflow: hidden; }
.palette > input { border-color: transparent; font-size: 1.05rem; }
.palette > [role=listbox] { max-height: min(28rem, 60vh); overflow-y: auto; margin-top: .4rem; }
.palette [role=group]::before { content: attr(aria-label); display: block; padding: .6rem .8rem .2rem; font: 600 .75rem/1.4 var(--mono); letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
.palette [role=option] { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: .5rem .8rem; border-radius: var(--small); cursor: pointer; }
.palette [role=option] > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.palette [role=option] > :first-child { flex: none; max-width: 75%; }
.palette [role=option][aria-selected=true] { background: var(--tint); }
.palette > p { padding: .5rem .8rem .1rem; }
mark { background: none; color: var(--accent); font-weight: 650; }
.question { gap: 1rem; }
.question h1, dialog h1 { font-size: 1.3rem; }
.question .actions { justify-content: flex-end; margin-top: .25rem; }
.question .actions > * { flex: 0 1 auto; white-space: normal; }
.question .facts > div { grid-template-columns: minmax(4rem, max-content) minmax(0, 1fr); }
.question .facts dd .small { display: block; }
button.end { background: var(--danger); color: var(--surface); }
button.end:hover { background: var(--danger); color: var(--surface); filter: brightness(1.12); }
.asking { display: grid; gap: 1.5rem; width: min(34rem, 100% - 2rem); margin: 8vh auto 3rem; }
.asking > main { padding: 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); }
button[aria-busy] { cursor: progress; opacity: .75; }
button[aria-busy]::after { content: ""; flex: none; width: .9em; height: .9em; margin-left: .5em; border: 2px solid currentColor; border-right-color: transparent; border-radius: 99px; }
@media (prefers-reduced-motion: no-preference) { button[aria-busy]::after { animation: turn .8s linear infinite; } }
@keyframes turn { to { transform: rotate(1turn); } }
`;

const PIECES = `
.notice { display: grid; gap: .25rem; padding: .85rem 1rem; border-radius: var(--small); border-left: 4px solid var(--accent); background: var(--tint); overflow-wrap: anywhere; }
.notice.bad { border-color: var(--danger); background: var(--danger-tint); }
.notice.care { border-color: var(--warn); background: var(--warn-tint); }
.tag { display: inline-block; padding: .1rem .5rem; border-radius: 99px; font: 600 .75rem/1.5 var(--sans); background: var(--sunken); color: var(--soft); }
.field label .tag { margin-left: .4rem; }
.tag.good { background: var(--tint); color: var(--accent); }
.usercode { display: flex; justify-content: center; gap: clamp(.2rem, 1vw, .4rem); padding: 1.25rem .5rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); box-shadow: var(--shadow); }
.usercode span { display: grid; place-items: center; width: clamp(1.7rem, 7.4vw, 2.6rem); height: clamp(2.4rem, 10vw, 3.4rem); font: 700 clamp(1.15rem, 5vw, 1.7rem)/1 var(--mono); border-radius: var(--small); background: var(--sunken); }
.usercode span.gap { width: .8rem; background: none; color: var(--soft); }
.facts { display: grid; border-top: 1px solid var(--line); }
.facts > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: 1rem; padding: .65rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 24rem) { .facts > div { grid-template-columns: minmax(0, 1fr); gap: .1rem; } }
.facts dt { color: var(--soft); }
.facts dd { font-weight: 540; overflow-wrap: anywhere; }
.qr { display: block; width: 100%; max-width: 13rem; height: auto; background: #fff; border: 1px solid var(--line); border-radius: var(--small); }
.enrol { display: grid; gap: 1.5rem; }
@media (min-width: 40rem) { .enrol { grid-template-columns: 13rem minmax(0, 1fr); gap: 2rem; } }
.secret { display: block; padding: .8rem 1rem; border: 1px dashed var(--line-strong); border-radius: var(--small); background: var(--sunken); font: 600 1rem/1.6 var(--mono); overflow-wrap: anywhere; user-select: all; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .35rem 1.5rem; padding: 1.1rem 1.25rem; border: 1px dashed var(--line-strong); border-radius: var(--small); background: var(--sunken); font: 600 1rem/1.6 var(--mono); }
.tag.bad { background: var(--danger-tint); color: var(--danger); }
.tag.care { background: var(--warn-tint); color: var(--warn); }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .55rem .9rem; color: var(--soft); text-decoration: none; font-weight: 560; border-bottom: 3px solid transparent; margin-bottom: -1px; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--accent); border-color: var(--accent); }
.tabs .count:not(:empty), .bar .count:not(:empty) { padding: .05rem .45rem; border-radius: 99px; background: var(--accent); color: var(--on-accent); font-size: .75rem; font-weight: 650; }
.items li.seen .what > :first-child { font-weight: 460; }
.matrix td, .matrix thead th { padding: .6rem .3rem; vertical-align: middle; }
.matrix td:has([type=checkbox]) { text-align: center; width: 4rem; }
.matrix thead th { text-align: center; vertical-align: bottom; white-space: normal; }
.matrix thead th:first-child, .matrix thead th.wide { text-align: left; }
.matrix input[type=checkbox] { accent-color: var(--accent); width: 1.2rem; height: 1.2rem; min-height: 0; margin: 0; }
.matrix td > div { display: grid; gap: .3rem; justify-items: start; }
.matrix th { vertical-align: middle; }
.card table.matrix tbody tr:last-child th { border: 0; }
.matrix input[type=time] { width: auto; min-width: 0; padding: .35rem .5rem; }
.matrix select { padding: .35rem .5rem; min-width: 9.5rem; }
.matrix .refused td, .matrix .refused th { background: var(--danger-tint); }
@media (max-width: 60rem) {
  .matrix, .matrix tbody, .matrix tr, .matrix td, .matrix tbody th { display: block; width: auto; }
  .matrix thead { display: none; }
  .matrix tbody tr { padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); }
  .matrix td:has([type=checkbox]) { display: flex; flex-direction: row-reverse; align-items: center; justify-content: flex-end; gap: .7rem; width: auto; text-align: left; }
  .card table.matrix th:first-child, .card table.matrix td { padding: .3rem 0; border: 0; }
  .matrix label.hush { position: static; width: auto; height: auto; clip-path: none; }
}
.choice input[type=checkbox] { min-height: 0; }
[hidden] { display: none !important; }
.terminal { margin: 0; padding: 1rem 1.25rem; border-radius: var(--small); background: var(--night); color: var(--night-ink); font: .9rem/1.75 var(--mono); overflow-x: auto; }
.big { width: 3.25rem; height: 3.25rem; border-radius: 99px; display: grid; place-items: center; background: var(--tint); color: var(--accent); }
.big.bad { background: var(--danger-tint); color: var(--danger); }
.big svg { width: 1.6rem; height: 1.6rem; }
details > summary { cursor: pointer; font-weight: 560; color: var(--accent); padding: .25rem 0; }
details[open] > summary { margin-bottom: 1rem; }
@media (prefers-reduced-motion: no-preference) {
  button, .button, input, .choice, .rooms a { transition: background-color .12s, border-color .12s, color .12s; }
}
@media (forced-colors: active) { .choice:has(:checked) { outline: 2px solid Highlight; } }
@media print { .entry > aside, .bar, .rooms, form { display: none; } }
`;

/** The style sheet as sent to browsers. */
export const STYLESHEET = [
  MEASURES,
  GROUND,
  ENTRY,
  SETTINGS,
  REFERENCE,
  PROSE,
  FORMS,
  DIALOGS,
  PIECES,
  BOARD_STYLE,
].join("").trimStart();
