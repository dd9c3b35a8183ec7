/**
 * Simulates visitors in `svc dev`, with flags for all requests or with a header for a single
 * request.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startServing } from "../../helpers/dev_program.ts";

const ruleOf = (name: string, condition: string): string => `
[[rules]]
id = "${name}"
condition = { path = { type = "exact", value = "/${name}" }, ${condition} }
action = { type = "redirect", target = "/${name}/matched", statusCode = 302 }
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
${ruleOf("country", 'geo = ["DE"]')}
${ruleOf("asn", "asn = [64500]")}
${ruleOf("device", 'device = "mobile"')}
${ruleOf("ip", 'sourceIpCidrs = ["203.0.113.0/24"]')}
[[rules]]
id = "who"
condition = { path = { type = "exact", value = "/who" } }
action = { type = "pipeline", steps = [{ handle = "who" }] }
`;

const NAMES = ["country", "asn", "device", "ip"] as const;

const FLAGS = ["--country", "de", "--asn", "64500", "--device", "mobile", "--ip", "203.0.113.7"];

/** For each property, a header with a value that differs from the flags. */
const OTHERS: Readonly<Record<typeof NAMES[number], string>> = {
  country: "country=FR",
  asn: "asn=64501",
  device: "device=desktop",
  ip: "ip=198.51.100.1",
};

Deno.test("dev simulates visitors with flags, or with a header for one request", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-dev-test-" });
  await Deno.writeTextFile(join(folder, "svc.toml"), `[build]\noutput_dirs = ["."]\n`);
  await Deno.writeTextFile(join(folder, "index.html"), "<p>Harbour</p>");
  await Deno.writeTextFile(join(folder, "svc.rules.toml"), RULES);
  await Deno.mkdir(join(folder, "functions"));
  await Deno.writeTextFile(
    join(folder, "functions", "who.ts"),
    "export default (_: Request, { geo, ip }: { geo: { country?: string }; ip: string }) =>\n" +
      "  Response.json({ country: geo.country, ip });\n",
  );
  const dev = await startServing(["dev", "--port", "0", ...FLAGS], { cwd: folder });
  const matches = async (name: string, header?: string): Promise<boolean> => {
    const headers: HeadersInit = header === undefined ? {} : { "svc-dev": header };
    const url = `http://127.0.0.1:${dev.port}/${name}`;
    const answer = await fetch(url, { headers, redirect: "manual" });
    await answer.body?.cancel();
    return answer.headers.get("location") === `/${name}/matched`;
  };
  try {
    for (const name of NAMES) {
      assert.equal(await matches(name), true, name);
      assert.equal(await matches(name, OTHERS[name]), false, name);
      // The header changes only its own properties.
      const other = NAMES[(NAMES.indexOf(name) + 1) % NAMES.length]!;
      assert.equal(
        await matches(other, OTHERS[name]),
        true,
        `${other} while the header sets ${name}`,
      );
    }
    const who = await fetch(`http://127.0.0.1:${dev.port}/who`);
    assert.deepEqual(await who.json(), { country: "DE", ip: "203.0.113.7" });
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    await Deno.remove(folder, { recursive: true });
  }
});
