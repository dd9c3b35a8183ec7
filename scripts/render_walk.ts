/**
 * Renders `docs/walk.svg`, the README's animation of the dashboard, from pictures that
 * `tests/browser/walk_test.ts` takes: `WALK` is their folder.
 *
 *     WALK=/tmp/walk SVC_BIN=$PWD/dist/svc deno task test:file tests/browser/walk_test.ts
 *     WALK=/tmp/walk deno run -A scripts/render_walk.ts
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { escapeXml } from "./_escape_xml.ts";
import { ROOT } from "./_source_files.ts";

/** Size at which the pictures are displayed, in pixels. */
const WIDTH = 900;
const HEIGHT = 621;
const CAPTION = 44;
const SECONDS_EACH = 3;

const folder = Deno.env.get("WALK");
if (folder === undefined) throw new TypeError("Set WALK to the folder with the pictures");

const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name.endsWith(".jpg")).toSorted();
const share = 100 / names.length;

const style = `
text { font: 600 19px system-ui, sans-serif; fill: #eaf4ef; }
g { opacity: 0; animation: show ${names.length * SECONDS_EACH}s infinite; }
@keyframes show { 0%, ${share}% { opacity: 1; } ${share + 0.01}%, 100% { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } g:last-of-type { opacity: 1; } }
`;

const frames = names.map((name, index) => {
  const picture = Buffer.from(Deno.readFileSync(join(folder, name))).toString("base64");
  const caption = `${index + 1}. ${name.replace(/^\d+ |\.jpg$/g, "")}`;
  return `<g style="animation-delay:${index * SECONDS_EACH}s"><text x="20" y="29">${
    escapeXml(caption)
  }</text><image y="${CAPTION}" width="${WIDTH}" height="${HEIGHT}" href="data:image/jpeg;base64,${picture}"/></g>`;
});

await Deno.writeTextFile(
  join(ROOT, "docs/walk.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${
    HEIGHT + CAPTION
  }" role="img" aria-label="A browser: the dashboard from the first visit to a rollback">
<style>${style}</style>
<rect width="${WIDTH}" height="${HEIGHT + CAPTION}" fill="#0b2a21"/>
${frames.join("\n")}
</svg>
`,
);
