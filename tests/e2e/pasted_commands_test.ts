/**
 * Runs the commands in the README and the guides as if they were pasted into a terminal on a
 * machine that has only the program.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { renderBenchmarks } from "../../scripts/_benchmark_picture.ts";
import { pasteCommands, type PastedCommand, readCommands } from "../../scripts/_pasted_commands.ts";
import { COMPILED } from "../../scripts/_program.ts";
import { ROOT } from "../../scripts/_source_files.ts";

interface Guide {
  readonly path: string;
  /** Commands above this heading are not run. */
  readonly from?: string;
  /** Commands below this heading are not run. */
  readonly until?: string;
  /** Commands that create what readers of the page already have. */
  readonly before?: string;
  /** Text that the output must contain, in this order. */
  readonly shows: readonly RegExp[];
}

const PROJECT = "mkdir shop && cd shop && echo '<h1>Shop</h1>' > index.html";
const HELLO = /<h1>Hello<\/h1>/;
const AGAIN = /<h1>Hello again<\/h1>/;

const GUIDES: readonly Guide[] = [
  {
    path: "README.md",
    from: "## Tour",
    shows: [/Platform ready/, /my-site\.localhost/, /301/, /my-site-git-redirects/, /live again/],
  },
  {
    path: "docs/quick-start.md",
    shows: [HELLO, /svc\.rules\.toml/, /301/, /HTTP\/1\.1 301/, AGAIN, HELLO, /LIVE/],
  },
  {
    path: "docs/custom-domain.md",
    before: `${PROJECT} && svc init --create && svc deploy --prod`,
    shows: [/_svc-challenge\.example\.com/, /www\.example\.com/],
  },
  {
    path: "docs/previews.md",
    until: "## Protection",
    before: `${PROJECT} && svc init --create && svc deploy --prod`,
    shows: [/members/, /shop-git-new-home/, /LIVE/],
  },
  {
    path: "docs/move-from-vercel.md",
    before: `${PROJECT}
echo '{"redirects":[{"source":"/old-blog/:path","destination":"/blog/:path"}]}' > vercel.json
echo 'API_URL=https://api.example.com' > .env.production`,
    shows: [/\/blog\/hello/, /API_URL/, /shop\.localhost/, /_svc-challenge/],
  },
  {
    path: "docs/move-from-netlify.md",
    before: `${PROJECT}
echo '/old-blog/:path /blog/:path 301' > _redirects
printf '/*\\n  X-Frame-Options: DENY\\n' > _headers
printf '[build]\\npublish = "."\\n' > netlify.toml
echo 'API_URL=https://api.example.com' > .env`,
    shows: [/\/blog\/hello/, /API_URL/, /shop\.localhost/, /_svc-challenge/],
  },
  {
    path: "docs/self-hosting.md",
    before: "true",
    shows: [/--base-domain/, /svc-backup\.tar/],
  },
];

function assertInOrder(text: string, patterns: readonly RegExp[]): void {
  let rest = text;
  for (const pattern of patterns) {
    const found = pattern.exec(rest);
    assert.ok(found, `${pattern} is missing in: ${rest}`);
    rest = rest.slice(found.index + found[0].length);
  }
}

for (const { path, from, until, before, shows } of GUIDES) {
  Deno.test({
    name: `the commands in ${path} work when pasted in order`,
    ignore: COMPILED === undefined || Deno.env.has("EMPTY_ROOT"),
    async fn() {
      const page = await Deno.readTextFile(join(ROOT, path));
      const end = until === undefined ? page.length : page.indexOf(`\n${until}\n`);
      const commands = readCommands(page.slice(0, end), from);
      assert.ok(commands.length > 1);
      const first: PastedCommand[] = before === undefined
        ? []
        : [{ text: before, showsOutput: false }];
      const outputs = await pasteCommands([...first, ...commands]);
      assertInOrder(outputs.map(({ output }) => output).join("\n"), shows);
    },
  });
}

Deno.test("the README has at most 150 lines, and its plot shows the numbers in docs/performance.md", async () => {
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  assert.ok(readme.split("\n").length <= 151);
  const measured = await Deno.readTextFile(join(ROOT, "docs/performance.md"));
  const picture = await Deno.readTextFile(join(ROOT, "docs/benchmarks.svg"));
  assert.equal(picture, renderBenchmarks(measured));
});
