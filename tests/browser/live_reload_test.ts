/**
 * Runs a static project under `svc dev`. In Chromium, the pages must be reloaded when a file is
 * saved.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { startServing } from "../helpers/dev_program.ts";

const page = (text: string) =>
  `<!doctype html><link rel="stylesheet" href="/site.css"><link rel="icon" href="data:,"><p>${text}</p>`;
const style = (color: string) => `p { color: ${color}; }`;

const rules = (target: string) =>
  `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "start"
condition = { path = { type = "exact", value = "/start" } }
action = { type = "rewrite", target = "${target}" }
`;

Deno.test({
  name: "dev reloads a static page in Chromium when a file, a style or a rule is saved",
  ...BROWSER_TEST,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "svc-live-reload-" });
    const write = (path: string, text: string) => Deno.writeTextFile(join(folder, path), text);
    await write("index.html", page("Kestrel"));
    await write("other.html", page("Osprey"));
    await write("site.css", style("rgb(1, 2, 3)"));
    await write("svc.rules.toml", rules("/index.html"));
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      await withChromium(async (browser) => {
        const tab = await browser.newPage();
        const complaints = hearComplaints(tab);
        // Once the server has responded to this request, the script's stream is open.
        const open = () => tab.waitForResponse(/__svc\/reload$/);
        const [, response] = await Promise.all([open(), tab.goto(`${dev.url}/start`)]);
        assert.equal(response?.status(), 200);
        const paragraph = tab.locator("body p");
        /** Saves a file, and waits until the reloaded page is listening again. */
        const save = async (path: string, text: string) => {
          const opened = open();
          await write(path, text);
          await opened;
        };
        await save("index.html", page("Peregrine"));
        await until(() => paragraph.innerText(), (text) => text === "Peregrine");
        await save("site.css", style("rgb(4, 5, 6)"));
        const color = () => tab.evaluate("getComputedStyle(document.querySelector('p')).color");
        await until(color, (found) => found === "rgb(4, 5, 6)");
        await save("svc.rules.toml", rules("/other.html"));
        await until(() => paragraph.innerText(), (text) => text === "Osprey");
        // An invalid rule leaves the page and its state unchanged.
        const from = dev.lines.length;
        await write("svc.rules.toml", "nonsense");
        await dev.said(/Keeping the previous rules/, from);
        assert.equal(await paragraph.innerText(), "Osprey");
        // A page closes its stream when the browser navigates away.
        assert.deepEqual(complaints.filter((line) => !line.endsWith("/__svc/reload")), []);
      });
    } finally {
      assert.equal(await dev.end(), 0, dev.lines.join("\n"));
      await Deno.remove(folder, { recursive: true });
    }
  },
});
