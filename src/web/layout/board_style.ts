/**
 * @module The dashboard's part of the style sheet: the bar, the title band, rows, states, logs and
 * tables.
 */

const BAND = `
.bar { position: relative; z-index: 3; }
.bar .trail { display: flex; align-items: center; gap: .35rem; min-width: 0; flex: 1 1 auto; font-size: .95rem; }
.bar .trail > * { flex: none; }
.bar .trail .sep { color: var(--night-soft); opacity: .6; padding: 0 .15rem; }
.bar .trail a:not(.mark), .bar summary { color: var(--night-ink); text-decoration: none; padding: .3rem .5rem; border-radius: var(--small); font-weight: 540; }
.bar .trail a:not(.mark):hover, .bar summary:hover, .bar .ways a:hover { background: rgb(255 255 255 / .09); color: var(--night-ink); }
.bar .trail .here { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .ways { display: flex; align-items: center; gap: .15rem; font-size: .9rem; }
.bar .ways a { color: var(--night-ink); text-decoration: none; padding: .3rem .6rem; border-radius: var(--small); }
.bar .ways a.find { display: inline-flex; align-items: center; gap: .4rem; }
.bar .find svg { width: 1.05rem; height: 1.05rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
@media (max-width: 48rem) { .bar .find span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } }
.bar .ways a[aria-current] { background: rgb(255 255 255 / .12); }
.bar .ways button.plain { min-height: 0; padding: .3rem .6rem; font-size: .9rem; font-weight: 400; text-decoration: none; border-radius: var(--small); color: var(--night-soft); }
.bar .ways button.plain:hover { background: rgb(255 255 255 / .09); color: var(--night-ink); }
.bar .switch { position: relative; }
.bar .switch > summary { display: flex; align-items: center; gap: .45rem; list-style: none; margin: 0; }
.bar .switch > summary::-webkit-details-marker { display: none; }
.bar .switch > summary::after { content: ""; width: .4rem; height: .4rem; border: solid var(--night-soft); border-width: 0 1.5px 1.5px 0; transform: translateY(-.12rem) rotate(45deg); }
.bar .switch ul { position: absolute; left: 0; top: calc(100% + .5rem); min-width: 15rem; max-width: calc(100vw - 2rem); max-height: 70vh; overflow: auto; padding: .4rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--ink); box-shadow: 0 18px 50px -12px rgb(0 0 0 / .45); }
.bar .switch ul a { display: block; padding: .5rem .7rem; border-radius: var(--small); color: var(--ink); text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .switch ul a:hover { background: var(--sunken); color: var(--ink); }
.bar .switch ul a[aria-current] { color: var(--accent); background: var(--tint); }
.bar .switch ul li.last { border-top: 1px solid var(--line); margin-top: .4rem; padding-top: .4rem; }
.band { position: relative; overflow: hidden; background: linear-gradient(170deg, var(--night), var(--night-2)); color: var(--night-ink); }
.band .contours { position: absolute; right: 0; top: 0; width: min(46rem, 70%); height: 100%; color: var(--glow); opacity: .13; pointer-events: none; }
.band > .inner { position: relative; max-width: 76rem; margin: 0 auto; padding: .15rem 1.25rem 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: .1rem; }
.band .head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .2rem 2rem; min-height: 2.1rem; }
.band .head > div:first-child { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .9rem; min-width: 0; }
.band h1 { font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
.band .lead { color: var(--night-soft); display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .9rem; font-size: .875rem; min-width: 0; overflow-wrap: anywhere; }
.band .lead a { color: var(--glow); }
.band :focus-visible { outline-color: var(--glow); }
.band .button, .band button { min-height: 2.1rem; padding: .3rem .8rem; font-size: .9rem; }
.band button.quiet, .band .button.quiet { background: rgb(255 255 255 / .07); color: var(--night-ink); border-color: rgb(255 255 255 / .22); }
.band button.quiet:hover, .band .button.quiet:hover { background: rgb(255 255 255 / .14); color: var(--night-ink); border-color: rgb(255 255 255 / .4); }
.band button:not(.quiet), .band .button:not(.quiet) { background: var(--glow); color: #05231a; }
.band button:not(.quiet):hover, .band .button:not(.quiet):hover { background: #8ae6c3; color: #05231a; }
.band .sha { color: var(--night-soft); }
.band .acts { display: flex; flex-wrap: wrap; gap: .45rem; }
.sections { display: flex; gap: .15rem; overflow-x: auto; margin: 0 -.75rem; scrollbar-width: none; }
.sections::-webkit-scrollbar { display: none; }
.sections a { flex: none; line-height: 1.45; padding: .25rem .75rem .3rem; color: var(--night-soft); text-decoration: none; font-weight: 540; font-size: .9rem; border-bottom: 3px solid transparent; }
.sections a:hover { color: var(--night-ink); }
.sections a[aria-current=page] { color: var(--night-ink); border-color: var(--glow); }
.sections a.group { font-weight: 640; }
.sections a.group[aria-current] { color: var(--glow); }
.sections .divider { flex: none; align-self: center; width: 1px; height: 1.1rem; margin: 0 .35rem; background: rgb(255 255 255 / .25); }
.sections a:focus-visible { outline-offset: -3px; }
.band .pad { padding-bottom: .25rem; }
.board { max-width: 76rem; margin: 0 auto; padding: 1.75rem 1.25rem 5rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
@media (min-width: 60rem) {
  .bar { padding-left: max(2.5rem, calc(50vw - 35.5rem)); padding-right: max(2.5rem, calc(50vw - 35.5rem)); }
  .band > .inner { padding: .15rem 2.5rem 0; }
  .board { padding: 2rem 2.5rem 5rem; }
}
.narrow { display: none; }
@media (max-width: 40rem) {
  .bar .mark span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .bar .there, .bar .ways form { display: none; }
  .bar { gap: .5rem; }
  .band .head { column-gap: .75rem; }
  .band .head > div:first-child { flex: 1 1 12rem; }
  .bar .ways { flex: none; }
  .bar .ways a { padding-inline: .45rem; white-space: nowrap; }
  .tabs a { padding-inline: .6rem; }
  .board .tabs a { padding-inline: .35rem; }
  .bar .trail > .switch { flex: 0 1 auto; min-width: 0; }
  .bar .switch > summary { overflow: hidden; }
  .narrow { display: block; }
}
`;

const STATES = `
.state { display: inline-flex; align-items: center; gap: .45rem; font-size: .875rem; font-weight: 580; }
.state::before { content: ""; flex: none; width: .6rem; height: .6rem; border-radius: 99px; background: var(--line-strong); }
.state.good { color: var(--accent); } .state.good::before { background: var(--accent); }
.state.bad { color: var(--danger); } .state.bad::before { background: var(--danger); }
.state.care { color: var(--warn); } .state.care::before { background: var(--warn); }
.state.idle { color: var(--soft); }
.menu { position: relative; }
.menu > summary { display: grid; place-items: center; width: 2.25rem; height: 2.25rem; padding: 0; border-radius: var(--small); color: var(--soft); font-weight: 700; list-style: none; }
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary:hover { background: var(--sunken); color: var(--ink); }
.menu[open] > summary { margin: 0; }
.menu > div { position: absolute; right: 0; top: calc(100% + .25rem); z-index: 2; display: grid; min-width: 12rem; padding: .35rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); box-shadow: 0 18px 50px -12px rgb(0 0 0 / .45); }
.menu > div a, .menu > div button { justify-content: flex-start; min-height: 2.25rem; padding: .4rem .7rem; border: 0; border-radius: var(--small); background: none; color: var(--ink); font: 400 .925rem/1.4 var(--sans); text-align: left; text-decoration: none; }
.menu > div a:hover, .menu > div button:hover { background: var(--sunken); color: var(--ink); }
.rows .menu { z-index: 1; }
button.tiny { min-height: 1.5rem; padding: .05rem .5rem; font-size: .8rem; font-weight: 520; }
.rows > li:has(.menu[open]) { z-index: 3; }
.state.past::before { background: none; border: 2px solid var(--line-strong); }
.band .state { color: var(--night-ink); } .band .state.good::before { background: var(--glow); } .band .state.bad::before { background: #ff8478; } .band .state.care::before { background: #f0c36a; }
@media (prefers-reduced-motion: no-preference) { .state.moving::before { animation: breathe 1.6s ease-in-out infinite; } }
@keyframes breathe { 50% { opacity: .25; } }
.dots { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.15rem; overflow-x: clip; min-width: 0; }
.dots > * { position: relative; min-width: 0; overflow-wrap: anywhere; }
.dots > * + *::before { content: "·"; position: absolute; left: -.72rem; font-family: var(--sans); color: var(--line-strong); }
.dots > * + .tag::before { content: none; } .dots > * + .tag { margin-left: -.5rem; }
.dots.clip { flex-wrap: nowrap; } .dots.clip > :first-child { overflow: hidden; text-overflow: ellipsis; } .dots.clip > * + * { flex: none; }
.sha { font: .85em/1.5 var(--mono); color: var(--soft); }
.clip { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
`;

const ROWS = `
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem; }
.tiles.four { grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); }
.tile { position: relative; display: grid; grid-template-rows: auto 1fr auto; gap: .9rem; padding: 1.2rem 1.3rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); min-width: 0; }
.tile:hover, .tile:focus-within { border-color: var(--accent); }
.tile h2 a { color: inherit; text-decoration: none; }
.tile h2 a::after { content: ""; position: absolute; inset: 0; border-radius: inherit; }
.day { display: grid; gap: .45rem; min-height: 4.6rem; align-content: end; margin-top: .5rem; }
.day .plot { height: 2rem; }
.tile .out { position: relative; z-index: 1; justify-self: start; font-size: .9rem; max-width: 100%; }
.on-air { display: flex; align-items: center; gap: .5rem; min-width: 0; }
.on-air::before { content: ""; flex: none; width: .5rem; height: .5rem; border-radius: 99px; background: var(--accent); }
.tile .top { display: flex; align-items: center; justify-content: space-between; gap: .75rem; min-width: 0; }
.tile .sign { flex: none; object-fit: cover; border-radius: var(--small); background: var(--sunken); }
.tile .top h2 { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tile .said { display: grid; align-content: start; gap: .15rem; min-width: 0; }
.tile .foot { display: flex; flex-wrap: wrap; gap: .1rem .9rem; color: var(--soft); font-size: .85rem; padding-top: .8rem; border-top: 1px solid var(--line); min-width: 0; }
.rows > li { display: grid; grid-template-columns: minmax(0, 1fr); gap: .35rem 1.5rem; padding: .8rem 1.5rem; border-top: 1px solid var(--line); align-items: center; position: relative; }
.rows > li:first-child { border-top: 0; }
.card > header + .rows { margin-top: 1.1rem; border-top: 1px solid var(--line); }
code.unbroken { white-space: nowrap; }
.rows.inset > li { padding-inline: .75rem; }
.rows .main { display: grid; gap: .1rem; min-width: 0; }
.rows .main > :first-child { font-weight: 560; overflow-wrap: anywhere; }
.rows .main .soft { font-size: .875rem; overflow-wrap: anywhere; }
.rows a.whole { color: inherit; text-decoration: none; }
.rows a.whole::after { content: ""; position: absolute; inset: 0; }
.rows > li:has(a.whole):hover { background: var(--sunken); }
.rows .meta { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; color: var(--soft); font-size: .875rem; }
.rows > li > time { color: var(--soft); font-size: .875rem; }
.rows .acts { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; position: relative; z-index: 1; }
@media (min-width: 48rem) {
  .rows > li { grid-template-columns: 9rem minmax(0, 1fr) auto; }
  .rows.plain > li { grid-template-columns: minmax(0, 1fr) auto; }
  .rows .meta.end { justify-content: flex-end; text-align: right; }
}
@media (max-width: 40rem) {
  .rows .acts { gap: .35rem; } .rows button.little, .rows .button.little { padding-inline: .6rem; }
}
.empty { display: grid; justify-items: start; gap: .9rem; padding: 2rem 1.5rem; }
.empty .terminal { justify-self: stretch; max-width: 40rem; }
.body > .empty, .body > * > .empty { padding: 0; }
.empty .terminal, .sheet .terminal, #explained .terminal, #cli .terminal { white-space: pre-wrap; overflow-wrap: anywhere; }
.empty .copyable { justify-self: stretch; max-width: 40rem; }
.empty h2 + p { margin-top: -.4rem; color: var(--soft); }
.pair { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 60rem) { .pair { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
.pager { display: flex; gap: .75rem; }
.button.little { min-height: 2.25rem; padding: .3rem .8rem; font-size: .9rem; }
textarea { width: 100%; min-height: 7rem; padding: .65rem .8rem; font: .9rem/1.6 var(--mono); color: var(--ink); background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--small); resize: vertical; }
textarea:focus-visible { outline-offset: 0; border-color: var(--accent); }
.editor { display: grid; grid-template-columns: auto minmax(0, 1fr); border: 1px solid var(--line-strong); border-radius: var(--small); overflow: hidden; }
.editor:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.editor .gutter { margin: 0; padding: .65rem .6rem; font: .875rem/1.6 var(--mono); text-align: right; color: var(--soft); background: var(--sunken); overflow: hidden; height: 0; min-height: 100%; user-select: none; }
.editor .gutter .error { color: var(--danger); font-weight: 700; } .editor .gutter .warning { color: var(--warn); font-weight: 700; }
.editor textarea { border: 0; border-radius: 0; font-size: .875rem; white-space: pre; overflow: auto; resize: none; outline: none; }
.diff { margin: 0; padding: .9rem 1.1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--small); font: .85rem/1.6 var(--mono); }
.diff span { display: block; } .diff .added { background: var(--tint); } .diff .removed { color: var(--danger); }
.rows ins { text-decoration: none; color: var(--accent); }
.line-form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
.line-form > .field { flex: 1 1 11rem; min-width: 0; }
.line-form > .field.small-field { flex: 0 1 9rem; }
.check { display: flex; align-items: center; gap: .6rem; }
.line-form > .check { min-height: 2.85rem; }
.check input[type=checkbox] { flex: none; width: 1.1rem; height: 1.1rem; min-height: 0; accent-color: var(--accent); margin: 0; }
.card > .body > form.wide, .card > .body > form.line-form { max-width: none; }
.facts.two { border-top: 0; }
.facts.two > div { border-top: 1px solid var(--line); border-bottom: 0; }
@media (min-width: 60rem) { .facts.two { grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 3rem; } }
.fields-two { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.15rem 2rem; }
@media (min-width: 48rem) { .fields-two { grid-template-columns: repeat(2, minmax(0, 1fr)); } .fields-two .field { grid-template-rows: auto auto 1fr; } }
.drop { padding: 1rem 1.15rem; border: 1px dashed var(--line-strong); border-radius: var(--small); }
.drop.over { border-color: var(--accent); background: var(--tint); }
.drop input[type=file] { height: auto; } .drop input + label { margin-top: .6rem; }
progress { width: 100%; accent-color: var(--accent); }
details.more > summary { font-size: .9rem; }
details.more[open] > summary { margin-bottom: .6rem; }
`;

const PLOTS = `
.ranges { display: inline-flex; flex-wrap: wrap; gap: .15rem; padding: .2rem; background: var(--sunken); border-radius: var(--small); }
.ranges a { white-space: nowrap; padding: .35rem .8rem; border-radius: .4rem; color: var(--soft); text-decoration: none; font-size: .9rem; font-weight: 540; }
.ranges a:hover { color: var(--ink); }
.ranges a[aria-current] { background: var(--surface); color: var(--ink); box-shadow: var(--shadow); }
.row.apart { justify-content: space-between; align-items: end; gap: 1rem 2rem; }
.row.apart form.row { align-items: end; gap: .6rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: 1rem 1.5rem; }
.figures dt { color: var(--soft); font-size: .875rem; }
.figures dd { font-size: 1.6rem; font-weight: 640; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.figures .bad dd { color: var(--danger); }
.plot { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--line); }
.plot .ground { fill: transparent; }
.plot g:hover .ground { fill: var(--sunken); }
.plot .bar-fill { fill: var(--accent); }
.plot .bad { fill: var(--danger); }
.plot-ends { display: flex; justify-content: space-between; margin-top: -.9rem; font-variant-numeric: tabular-nums; }
.chart-place { min-height: 9rem; }
.chart-place .uplot { width: 100%; font-family: inherit; }
.chart-place .u-wrap:focus-visible { outline-offset: 4px; }
.chart-place .u-legend { color: var(--ink); font-variant-numeric: tabular-nums; }
.chart-place .u-legend th { padding: 4px; border: 0; color: inherit; font-size: inherit; cursor: default; pointer-events: none; }
.chart-place .u-legend td { padding: 4px 0; border: 0; min-width: 3.5rem; text-align: left; }
.chart-place .u-cursor-x { border-color: var(--line-strong); }
.scroll.tall { max-height: 24rem; overflow: auto; }
.world { display: block; width: 100%; height: auto; padding: .5rem 0; }
.world path { stroke: var(--surface); stroke-width: .6; }
.world .land { fill: var(--line); }
.world .shade-1 { fill: color-mix(in srgb, var(--accent) 40%, var(--line)); }
.world .shade-2 { fill: color-mix(in srgb, var(--accent) 60%, var(--line)); }
.world .shade-3 { fill: color-mix(in srgb, var(--accent) 80%, var(--line)); }
.world .shade-4 { fill: var(--accent); }
.world .lost { fill: var(--danger); }
.world path:not(.land):hover { stroke: var(--ink); stroke-width: 1.2; }
.map-and-list .world { padding: .5rem 1.5rem 0; }
@media (min-width: 60rem) { .map-and-list { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 3fr); align-items: start; } .map-and-list .world { padding: .5rem 0 1.3rem 1.5rem; } }
.vitals { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 1rem 2.5rem; padding: 1rem 1.5rem 1.25rem; }
.vitals dt { color: var(--soft); font-size: .9rem; }
.vitals dd { display: grid; gap: .4rem; }
.vitals .value { display: flex; align-items: baseline; gap: .6rem; font-size: 1.6rem; font-weight: 640; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.vitals .tag { letter-spacing: 0; }
.scale { display: block; width: 100%; height: 1.1rem; }
.scale .good { fill: var(--accent); } .scale .care { fill: var(--warn); opacity: .75; } .scale .bad { fill: var(--danger); opacity: .5; }
.scale .here { fill: var(--ink); stroke: var(--surface); stroke-width: 1; }
.shares { display: grid; padding: .8rem 1.5rem 1.3rem; } .shares + .body { padding-top: 0; }
.shares > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .15rem 1rem; padding: .35rem 0; font-size: .925rem; }
.shares .num { font-variant-numeric: tabular-nums; color: var(--soft); }
.share { grid-column: 1 / -1; display: block; width: 100%; height: 3px; background: var(--sunken); border-radius: 2px; }
.share rect { fill: var(--accent); }
`;

const LOGS = `
kbd { display: inline-block; min-width: 1.5em; padding: 0 .35em; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: .3rem; background: var(--surface); color: var(--ink); font: 600 .8rem/1.5 var(--mono); text-align: center; }
.items > li:focus { outline: 2px solid var(--accent); outline-offset: -2px; }
.log { margin: 0; max-height: 34rem; overflow: auto; padding: .9rem 0; border-radius: var(--small); background: var(--night); color: var(--night-ink); font: .84rem/1.65 var(--mono); scrollbar-color: var(--night-soft) transparent; }
.log > li { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: 1rem; padding: 0 1.1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.log > li > time { color: var(--night-soft); white-space: nowrap; }
.log > li:hover { background: rgb(255 255 255 / .05); }
.log .info { color: var(--glow); } .log .warn { color: #f4cf86; } .log .error { color: #ff9d93; }
.log.plain > li { grid-template-columns: minmax(0, 1fr); }
.log.wide > li { grid-template-columns: 5.2rem 3.6rem minmax(0, 1fr); }
.log .badge { font-weight: 650; }
.log:empty { display: none; }
@media (max-width: 40rem) { .log > li, .log.wide > li { grid-template-columns: minmax(0, 1fr); gap: 0; padding-top: .25rem; } .log.wide > li { grid-template-columns: auto minmax(0, 1fr); column-gap: .75rem; align-items: baseline; } .log.wide > li > a { grid-column: 1 / -1; } .log > li > time { font-size: .75rem; } }
.log > li a { display: block; min-height: 1.5rem; color: inherit; text-decoration: none; }
.log > li a:hover { color: inherit; text-decoration: underline; }
.drawer { position: fixed; inset: 0 0 0 auto; width: min(40rem, 100vw); max-width: none; height: 100vh; max-height: none; margin: 0; padding: 1rem; border: 0; border-left: 1px solid var(--line); background: var(--paper); color: var(--ink); overflow: auto; }
.drawer::backdrop { background: rgb(0 0 0 / .35); }
.drawer > form { margin-bottom: .75rem; justify-items: end; }
.counts { display: grid; grid-template-columns: minmax(0, 1fr); gap: .6rem; }
.plot.short { height: 5rem; }
.plot.short a:hover .ground, .plot.short a:focus-visible .ground { fill: var(--sunken); }
.plot .care { fill: var(--warn); }
.counts .plot-ends { margin-top: -.3rem; }
.facets { display: flex; flex-wrap: wrap; align-items: start; gap: .5rem 1.75rem; }
.facets ul { display: grid; gap: .25rem; max-width: 26rem; }
.facets li { display: flex; justify-content: space-between; gap: 1.25rem; overflow-wrap: anywhere; }
.facets .num { font-variant-numeric: tabular-nums; color: var(--soft); }
.live { display: inline-flex; align-items: center; gap: .4rem; color: var(--soft); font-size: .875rem; }
.live::before { content: ""; width: .5rem; height: .5rem; border-radius: 99px; background: var(--accent); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .55rem .9rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: .82rem; white-space: nowrap; }
td { overflow-wrap: anywhere; } #structure td { overflow-wrap: break-word; }
.card table th:first-child, .card table td:first-child { padding-left: 1.5rem; }
tr:last-child td { border-bottom: 0; }
@media (max-width: 40rem) {
  .records, .records tbody, .records tr, .records td { display: block; }
  .records thead { display: none; }
  .records tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .card .records td, .card .records td:first-child { padding: .15rem 0; border: 0; }
  .records td::before { content: attr(data-column) ": "; color: var(--soft); font-family: var(--sans); }
}
td.num, th.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
`;

const STUDIO = `
.stack-little { display: grid; grid-template-columns: minmax(0, 1fr); gap: .6rem; }
.branch-choice { align-items: end; }
.studio { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; align-items: start; }
@media (min-width: 60rem) { .studio { grid-template-columns: 15rem minmax(0, 1fr); } }
.tables { max-height: 13rem; overflow-y: auto; padding: .4rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
@media (min-width: 60rem) { .tables { max-height: calc(100vh - 4rem); position: sticky; top: 1.5rem; } }
.tables a { display: flex; justify-content: space-between; align-items: baseline; gap: .75rem; padding: .4rem .7rem; border-radius: var(--small); color: var(--ink); text-decoration: none; }
.tables a > :first-child { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tables a > :last-child { flex: none; }
.tables a:hover { background: var(--sunken); }
.tables a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 560; }
.filters { gap: .6rem; }
.filter { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; }
@media (min-width: 40rem) { .filter { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr) minmax(0, 2fr); } }
.filter > :not(label) { min-height: 2.4rem; padding: .3rem .6rem; font-size: .9rem; }
.grid { width: auto; min-width: 100%; }
.grid td { max-width: 22rem; overflow-wrap: normal; white-space: pre; overflow: hidden; text-overflow: ellipsis; padding-block: .4rem; }
.grid th a { color: inherit; }
.grid .type { display: block; color: var(--soft); font: 400 .78rem/1.4 var(--mono); }
.grid tbody tr:hover { background: var(--sunken); }
.indexes { display: grid; gap: .3rem; padding: 1rem 1.5rem; color: var(--soft); overflow-wrap: anywhere; }
textarea.low { min-height: 2.85rem; }
.column-field .typed { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; align-items: start; }
@media (min-width: 40rem) { .column-field .typed { grid-template-columns: minmax(0, 1fr) 13rem; } }
.fixed { padding: .55rem .8rem; border-radius: var(--small); background: var(--sunken); overflow-wrap: anywhere; white-space: pre-wrap; }
.history { display: grid; gap: .2rem; max-height: 14rem; overflow-y: auto; margin-bottom: .75rem; }
.history .plain { width: 100%; justify-content: start; text-align: left; overflow-wrap: anywhere; }
input:where(:not([type=radio], [type=hidden])).short { width: 9rem; min-height: 2.25rem; padding: .25rem .6rem; font-size: .9rem; }
`;

/** The dashboard's part of the style sheet. */
export const BOARD_STYLE = [BAND, STATES, ROWS, PLOTS, LOGS, STUDIO].join("");
