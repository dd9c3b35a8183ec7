/** Tests the Queues page: counts, dead letters, and the forms for redelivering or deleting them. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";
import { rawRequest } from "../../helpers/platform.ts";

const AT = "/workspaces/acme/projects/shop/queues";

/** A server that rejects messages until it is repaired. */
const SERVER = `
import { createServer } from "node:http";
let isBroken = true;
createServer((request, response) => {
  if (request.url === "/mend") isBroken = false;
  else if (request.url === "/jobs/mails" && isBroken) response.statusCode = 503;
  response.end("here");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const manifest = {
  ...MANIFEST,
  queues: [{ name: "mails", path: "/jobs/mails", retries: 0 }],
};

Deno.test("the Queues page shows dead letters, and can redeliver or delete one or all of them", () =>
  withDashboard(async ({ ada, viewer, own, api, platform }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    assert.match((await ada.open(AT)).html, /No queues yet/);
    await deployServer(own, "shop", { server: SERVER, manifest });
    const path = "/v1/projects/shop/queues";
    const bodies = ["<b>one</b>", "two", "three", "four"];
    for (const body of bodies) await api("POST", `${path}/mails/messages`, { body, key: "ada" });
    const counts = async () => (await api("GET", path)).json.items[0];
    await until(counts, ({ dead }) => dead === bodies.length, 60_000);

    const list = await ada.open(AT);
    assert.match(list.html, /4 dead/);
    const letters = () => ada.open(`${AT}?queue=mails`);
    const page = await letters();
    assert.match(page.html, /&lt;b&gt;one&lt;\/b&gt;/);
    assert.match(page.html, /The server responded with 503/);
    assert.match(page.html, /key ada/);
    const idOf = (html: string, body: string) =>
      html.split("<li>").find((part) => part.includes(body))!
        .match(/name="message" value="([^"]+)"/)![1]!;
    /** Submits the form for one dead letter, or for all of them. */
    const send = async (action: string, message?: string, typed = {}) => {
      const { html } = await letters();
      const form = formsOf(html).find((each) =>
        each.action === `${AT}/${action}` &&
        (message ?? each.fields.message) === each.fields.message
      );
      assert.ok(form, `${action} ${message}`);
      return await ada.send("POST", form.action, { fields: { ...form.fields, ...typed } });
    };
    /** Submits a form and confirms the action. */
    const confirm = async (action: string, message?: string) => {
      const question = await send(action, message);
      assert.match(question.html, /<form id="question"/);
      const [form] = formsOf(question.html);
      return await ada.send("POST", form!.action, { fields: form!.fields });
    };

    assert.equal((await confirm("delete", idOf(page.html, "two"))).status, 303);
    assert.ok(!(await letters()).html.includes('<pre class="terminal" tabindex="0">two</pre>'));
    assert.equal((await counts()).dead, 3);
    // The delivery fails again, so the message becomes a dead letter again.
    await send("retry", idOf(page.html, "three"));
    await until(counts, ({ dead, waiting }) => dead === 3 && waiting === 0, 60_000);

    await rawRequest(platform.port, { method: "GET", host: "shop.localhost", path: "/mend" });
    const retried = await send("retry", idOf((await letters()).html, "three"));
    assert.equal(retried.status, 303);
    assert.match((await ada.open(retried.headers.get("location")!)).html, /Redelivering/);
    await until(counts, ({ dead, done }) => dead === 2 && done === 1, 60_000);
    assert.equal((await send("retry-all")).status, 303);
    await until(counts, ({ dead, done }) => dead === 0 && done === 3, 60_000);
    assert.match((await letters()).html, /No dead letters/);
    assert.doesNotMatch((await viewer.open(`${AT}?queue=mails`)).html, /queues\/(?:retry|purge)/);
  }));
