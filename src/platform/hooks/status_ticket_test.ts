import assert from "node:assert/strict";
import { join } from "node:path";
import { systemRandom } from "../../lib/clock.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import { issueTicket, readTicket } from "./status_ticket.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const deployment = { projectId: crypto.randomUUID(), id: crypto.randomUUID() };

Deno.test("readTicket() accepts only tickets from issueTicket()", async () => {
  await inTestFolder(async (folder) => {
    const ring = (name: string) => openKeyRing(join(folder, name), systemRandom);
    const box = new SecretBox(await ring("one.json"), systemRandom);
    const ticket = await issueTicket(box, deployment);
    assert.deepEqual(await readTicket(box, ticket), deployment);
    assert.equal(encodeURIComponent(ticket), ticket, "a ticket needs no encoding in a URL");
    assert.ok(!ticket.includes(deployment.id));
    assert.notEqual(await issueTicket(box, deployment), ticket);
    const other = new SecretBox(await ring("two.json"), systemRandom);
    assert.equal(await readTicket(other, ticket), undefined);
    const [key = "", nonce = "", data = ""] = ticket.split(".");
    const flipped = (data.startsWith("A") ? "B" : "A") + data.slice(1);
    for (const bad of ["", "x", `${key}.${nonce}`, `${key}.${nonce}.${flipped}`, `${ticket}.x`]) {
      assert.equal(await readTicket(box, bad), undefined, bad);
    }
    const variable = await box.seal(JSON.stringify(deployment), "variable/x");
    const encode = (bytes: Uint8Array) =>
      btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(
        /=+$/,
        "",
      );
    const foreign = `${variable.keyId}.${encode(variable.nonce)}.${encode(variable.data)}`;
    assert.equal(await readTicket(box, foreign), undefined, "it is sealed for another place");
  });
});
