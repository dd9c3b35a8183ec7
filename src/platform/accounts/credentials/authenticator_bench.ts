/** The cost of authenticating a warm request (goal: under 50 µs). @module */
import type { Endpoint } from "../../../contract/endpoint.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { systemClock, systemRandom } from "../../../lib/clock.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { openKeyRing } from "../../core/secrets/key_ring.ts";
import { SecretBox } from "../../core/secrets/secret_box.ts";
import { clientAt, ORIGIN, PASSWORD, requestWith } from "../_test_accounts.ts";
import { createAccounts } from "../create_accounts.ts";
import { DenoStore } from "../../../store/mod.ts";

const ME = endpoints.getIdentity as unknown as Endpoint;
const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
const kv = await DenoStore.open(`${folder}/kv.sqlite3`);
const services = createAccounts({
  kv,
  box: new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom),
  publicOrigin: ORIGIN,
  now: systemClock,
  random: systemRandom,
  outbound: () => Promise.reject(new Error("Nothing can be reached from here")),
  allowPrivate: false,
  audit: { record: () => Promise.resolve() },
  onTrouble: (message) => {
    throw new Error(message);
  },
});
const { accounts, signUp, deviceLogin, authenticator } = services;
const client = clientAt();
const signedUp = await signUp.signUp(
  { name: "ada", email: "ada@example.com", password: PASSWORD },
  client,
);
if (signedUp.status !== "signed_in") throw new Error("The account was not created");
const person = (await authenticator.visitor(requestWith(signedUp.setCookie), client))!;
const workspace = { id: uuidV7(systemClock, systemRandom), slug: "ada", name: "Ada", createdAt: 0 };
await accounts.createWorkspace(workspace, person.user.id);
const started = await deviceLogin.start({ clientId: "bench" }, client);
await deviceLogin.approve(
  person,
  { userCode: started.user_code, workspaceId: workspace.id },
  client,
);
const token = await deviceLogin.poll(
  { deviceCode: started.device_code, clientId: "bench" },
  client,
);

const byToken = new Request(ORIGIN, { headers: { authorization: `Bearer ${token.access_token}` } });
const bySession = requestWith(signedUp.setCookie, { headers: { "x-workspace": "ada" } });

Deno.bench("an authorized request by access token", async () => {
  await authenticator.caller(byToken, ME, client);
});

Deno.bench("an authorized request by session", async () => {
  await authenticator.caller(bySession, ME, client);
});

let address = 0;

Deno.bench("POST /v1/device, without the network", async () => {
  const from = clientAt(`10.${address >> 16 & 255}.${address >> 8 & 255}.${address++ & 255}`);
  await deviceLogin.start({ clientId: "bench" }, from).catch(() => {});
});

Deno.bench("POST /v1/device/token, without the network", async () => {
  await deviceLogin.poll({ deviceCode: started.device_code, clientId: "bench" }, client).catch(
    () => {},
  );
});
