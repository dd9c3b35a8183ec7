import assert from "node:assert/strict";
import { createTransport } from "nodemailer";
import { openLocalServices } from "./local_services.ts";

Deno.test("openLocalServices() catches mail, and opens the store to clients with its token", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-local-" });
  const caught: string[] = [];
  const services = await openLocalServices({
    dataDir,
    url: "http://localhost:4321",
    onMail: ({ subject }) => caught.push(subject),
    onSubmission: () => {},
    say: (_, message) => assert.fail(message),
  });
  try {
    const { SMTP_URL, SVC_KV_URL, SVC_KV_TOKEN } = services.variables;
    const transport = createTransport(SMTP_URL!);
    await transport.sendMail({
      from: "hut@example.com",
      to: ["ada@example.com", "bob@example.com"],
      subject: "Grüße",
      text: "Two beds\n",
    });
    transport.close();
    assert.deepEqual(caught, ["Grüße"]);
    const [mail] = services.mails.latest();
    assert.deepEqual([mail?.from, mail?.to], [
      "hut@example.com",
      ["ada@example.com", "bob@example.com"],
    ]);
    assert.match(mail?.source ?? "", /Two beds/);
    const put = (token: string) =>
      fetch(`${SVC_KV_URL}/v1/value?key=boat`, {
        method: "PUT",
        body: "Kestrel",
        headers: { authorization: `Bearer ${token}` },
      });
    assert.equal((await put("svckv_wrong")).status, 401);
    assert.equal((await put(SVC_KV_TOKEN!)).status, 204);
  } finally {
    await services.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});
