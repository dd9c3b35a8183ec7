import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { deviceOf, loadGeo } from "../../edge/mod.ts";
import {
  compileRules,
  type DescribedRequest,
  DEVICES,
  explainRequest,
  factsFromRequest,
  loadRulesValue,
  METHODS,
  normalizePath,
  type RequestFacts,
  type RuntimeRuleSet,
  SCHEMA_VERSION,
} from "../../rules/mod.ts";
import { getRules } from "../../contract/rules.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { repeated } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { autonomousSystem, countryCode, ipAddress } from "./client_values.ts";
import { formatExplanation } from "./format_explanation.ts";
import { describeActive } from "./published_rules.ts";
import { loadValidRules, readRulesSource } from "./rules_file.ts";

function httpMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.some((known) => known === method)) return method;
  throw new InvalidArgumentError(`Expected one of ${METHODS.join(", ")}.`);
}

function urlOrPath(text: string): string {
  if (/^(?:https?:\/\/|\/)/i.test(text)) return text;
  throw new InvalidArgumentError(
    'Expected a URL with http:// or https://, or a path with a leading "/".',
  );
}

function headersOf(given: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const line of given) {
    const colon = line.indexOf(":");
    try {
      if (colon < 1) throw new TypeError("no name");
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new CliError("usage", `--header must be name:value, not "${printable(line)}"`);
    }
  }
  return Object.fromEntries(headers);
}

function factsOf(request: DescribedRequest): RequestFacts {
  try {
    const facts = factsFromRequest(request);
    if (!("rejected" in facts)) return facts;
  } catch (error) {
    if (error instanceof TypeError) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
  const shown = printable(request.url);
  throw new CliError("usage", `Invalid URL "${shown}": the edge responds with 400`);
}

/** Looks up the country of an IP address. Returns `undefined` without an address. */
async function countryOf(ip: string | undefined): Promise<string | undefined> {
  return ip === undefined ? undefined : (await loadGeo()).geo.country(ip);
}

/** Reads the rules that production uses, as the edge applies them. */
async function readLiveRules(ctx: Context, given: string | undefined): Promise<RuntimeRuleSet> {
  const { client, project } = await openProject(ctx, { given, phase: "build" });
  const active = await client.call(getRules, { params: { project: project.id } });
  ctx.ui.note(describeActive(active));
  const { runtime } = loadRulesValue(
    active.ruleSet ?? { schemaVersion: SCHEMA_VERSION, rules: [] },
  );
  if (runtime !== undefined) return runtime;
  throw new CliError(
    "rules_invalid",
    "The platform has rules that this version of svc does not support",
    {
      next: ["svc upgrade"],
    },
  );
}

export default defineCommand({
  description:
    "Evaluates the request on this machine without sending it. The default country comes from --ip, the default device from a User-Agent header.",
  define: (command) =>
    command
      .argument("<method>", "such as GET", httpMethod)
      .argument("<url>", "URL, or a path", urlOrPath)
      .option("--header <name:value>", "request header; repeatable", repeated)
      .option("--ip <address>", "IP address of the client", ipAddress)
      .option("--country <code>", "country of the client", countryCode)
      .option(
        "--asn <number>",
        "autonomous system of the client",
        autonomousSystem,
      )
      .addOption(new Option("--device <kind>", "device of the client").choices(DEVICES))
      .option("--static-file <path>", "a static file that exists; repeatable", repeated)
      .addOption(
        new Option("--rules <file>", "rules file (default: the project's svc.rules.toml)")
          .conflicts("live"),
      )
      .option("--live", "use production's active rules")
      .option("--project-id <id>", "ID or name of the project, for --live")
      .option("--dry", "no effect: function code never runs here"),
  examples: [
    ["rules explain GET /old/page", "show matching rules and the response of the edge"],
    ["rules explain GET https://example.com/ --country DE --device mobile", "simulate a visitor"],
    ["rules explain GET /old/page --live", "use production's active rules"],
    [
      "rules explain POST /api --header 'x-key: 1' --ip 203.0.113.7",
      "include a header and an IP address",
    ],
  ],
  async run({ args: [method, url], flags }, ctx) {
    const runtime = flags.live === true
      ? await readLiveRules(ctx, flags.projectId)
      : loadValidRules(await readRulesSource(ctx, flags.rules)).runtime;
    const headers = headersOf(flags.header ?? []);
    const userAgent = headers["user-agent"];
    const request: DescribedRequest = {
      method,
      url,
      headers,
      ...definedOnly({
        ip: flags.ip,
        country: flags.country ?? await countryOf(flags.ip),
        asn: flags.asn,
        device: flags.device ?? (userAgent === undefined ? undefined : deviceOf(userAgent)),
      }),
    };
    const facts = factsOf(request);
    const files = new Set((flags.staticFile ?? []).map((path) => normalizePath(path)));
    const explanation = explainRequest(compileRules(runtime), facts, {
      fileExists: (path) => files.has(path),
      rateLimited: () => false,
    });
    ctx.ui.debug("build", `Explained ${formatCount(explanation.rules.length, "rule")}`);
    ctx.ui.result({ ...explanation }, formatExplanation(explanation, ctx.ui.dataColors));
  },
});
