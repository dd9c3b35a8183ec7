/** Deploys a SvelteKit project with adapter-node, without configuration. */
import assert from "node:assert/strict";
import { testFramework } from "../helpers/frameworks.ts";
import { checkKept } from "../helpers/kept_answers.ts";

testFramework("sveltekit", {
  title: "SvelteKit",
  layers: {
    client: "STATIC",
    prerendered: "STATIC",
    server: "COMPUTE",
  },
  assets: {
    page: "/",
    pattern: /_app\/immutable\/entry\/start\.[\w-]+\.js/,
    missing: "/_app/immutable/entry/start.Abcd1234.js",
  },
  async also(project) {
    await checkKept(project, "/shared");
    // SvelteKit rejects forms from other origins, so the server needs to know its own origin.
    const send = (headers: Readonly<Record<string, string>>) =>
      project.ask("/", {
        method: "POST",
        headers: {
          accept: "text/html",
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        body: "name=Ada",
      });
    const secure = project.origin.replace("http:", "https:");
    const own: Readonly<Record<string, string>>[] = [
      { origin: project.origin },
      { origin: secure, "x-forwarded-proto": "https" },
    ];
    for (const headers of own) {
      const form = await send(headers);
      assert.equal(form.status, 200, form.text);
      assert.match(form.text, /name: (?:<!--.*?-->)*Ada/);
    }
    for (const origin of [secure, "http://elsewhere.example"]) {
      assert.equal((await send({ origin })).status, 403, origin);
    }
  },
});
