/**
 * While other people guess the password or set cookies, the owner must still be able to sign in,
 * over both HTTP and HTTPS.
 */
import assert from "node:assert/strict";
import { Browser, eventsOf, PASSWORD, signUp } from "../../helpers/browser.ts";
import {
  type ApiAnswer,
  stillClock,
  type TestPlatform,
  withPlatform,
  withPlatformInProcess,
} from "../../helpers/platform.ts";

const EMAIL = "ada@example.com";
const PROXIED = { trustProxy: ["127.0.0.1/32"] };
/** Returns options with a stopped clock, so the time between guesses does not count. */
const guessing = () => ({ ...PROXIED, now: stillClock() });

/** Returns the headers of a browser with an IP address, behind the trusted proxy. */
const at = (address: string, cookie = "") => ({
  "x-forwarded-for": address,
  ...(cookie === "" ? {} : { cookie }),
});

function signInAt(
  platform: TestPlatform,
  address: string,
  given: { readonly password?: string; readonly cookie?: string } = {},
): Promise<ApiAnswer> {
  const { password = PASSWORD, cookie = "" } = given;
  return platform.api("POST", "/v1/sign-in", {
    token: null,
    json: { email: EMAIL, password },
    headers: at(address, cookie),
  });
}

/** Returns a response's cookies as a browser sends them back. */
const cookiesOf = ({ headers }: ApiAnswer): string =>
  headers.getSetCookie().map((field) => field.slice(0, field.indexOf(";"))).join("; ");

Deno.test("incorrect passwords from other addresses do not lock out the owner", () =>
  withPlatformInProcess(async (platform) => {
    await signUp(platform, "ada");
    const wrong = () => signInAt(platform, "203.0.113.9", { password: "wrong password" });
    for (let count = 0; count < 5; count++) assert.equal((await wrong()).status, 401);
    const slowed = await wrong();
    assert.equal(slowed.status, 429);
    assert.ok(Number(slowed.headers.get("retry-after")) >= 1);
    const owner = await signInAt(platform, "192.0.2.1");
    assert.equal(owner.status, 200, JSON.stringify(owner.json));
    assert.equal(
      (await wrong()).status,
      429,
      "the owner's sign-in does not reset the limit for others",
    );
  }, guessing()));

Deno.test("guesses do not lock out a known browser, and its owner is notified once", () =>
  withPlatformInProcess(async (platform) => {
    const ada = await signUp(platform, "ada");
    const first = await signInAt(platform, "192.0.2.1");
    const cookie = cookiesOf(first).split("; ").find((each) => each.startsWith("svc_device_"))!;
    await Promise.all(
      Array.from(
        { length: 12 },
        (_, count) => signInAt(platform, `198.51.100.${count}`, { password: "wrong password" }),
      ),
    );
    // The limit for all networks together is tested in guess_limits_test.ts, with a clock.
    const owner = await signInAt(platform, "192.0.2.2", { cookie });
    assert.equal(owner.status, 200, JSON.stringify(owner.json));
    const told = (await eventsOf(ada)).filter((event) => event === "security.suspicious_activity");
    assert.equal(told.length, 1);
  }, guessing()));

for (
  const [scheme, options, prefix] of [
    ["http", {}, ""],
    ["https", { publicUrl: "https://svc.example", baseDomain: "svc.example" }, "__Host-"],
  ] as const
) {
  Deno.test(`a planted session cookie neither signs anyone out nor lets anyone in over ${scheme}`, () =>
    withPlatformInProcess(async (platform) => {
      const host: Record<string, string> = scheme === "https" ? { host: "svc.example" } : {};
      const named = (value: string) => `${prefix}svc_session=${value}`;
      const ada = await signUp(platform, "ada");
      assert.ok(ada.cookie.startsWith(named("")));
      const eve = await signUp(platform, "eve");
      // Eve signs in with a different browser at a different address.
      const elsewhere = await platform.api("POST", "/v1/sign-in", {
        token: null,
        json: { email: "eve@example.com", password: PASSWORD },
        headers: { "user-agent": "curl/8.0", ...host },
      });
      const eves = cookiesOf(elsewhere).split("; ")[0]!;
      const whois = async (cookie: string) => {
        const browser = new Browser(platform);
        browser.cookie = cookie;
        const { status, json } = await browser.send("GET", "/v1/account", { headers: host });
        return status === 200 ? json.email : status;
      };
      assert.equal(await whois(ada.cookie), EMAIL);
      const planted = {
        "of no session": named("A".repeat(43)),
        "of no session, many times": Array.from(
          { length: 50 },
          (_, index) => named(String(index).padEnd(43, "B")),
        ).join("; "),
        "that is not a token": named("x"),
        "of another person's session": eves,
      };
      for (const [which, cookie] of Object.entries(planted)) {
        assert.equal(await whois(`${cookie}; ${ada.cookie}`), EMAIL, `before: ${which}`);
        assert.equal(await whois(`${ada.cookie}; ${cookie}`), EMAIL, `after: ${which}`);
      }
      assert.equal(
        await whois(`${ada.cookie}; ${eve.cookie}`),
        401,
        "two valid sessions are ambiguous",
      );
      const plain = ada.cookie.replace("__Host-", "");
      if (scheme === "https") {
        assert.equal(await whois(plain), 401, "a cookie without the __Host- prefix is refused");
      }
    }, options));
}

Deno.test("every API response states its content type, and only its own site can read it", () =>
  withPlatform(async (platform) => {
    const paths = ["/v1/health", "/v1/me", "/v1/nowhere", "/v1/openapi.json", "/v1/notifications"];
    for (const path of paths) {
      for (const token of [undefined, null]) {
        const { headers } = await platform.api("GET", path, token === null ? { token } : {});
        assert.equal(headers.get("x-content-type-options"), "nosniff", path);
        assert.equal(headers.get("cross-origin-resource-policy"), "same-origin", path);
      }
    }
    const refused = await platform.api("DELETE", "/v1/health");
    assert.equal(refused.headers.get("x-content-type-options"), "nosniff");
    const empty = await platform.api("POST", "/v1/sign-out", { token: null });
    assert.equal(empty.headers.get("cross-origin-resource-policy"), "same-origin");
  }));
