import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { deviceOf, loadGeo } from "../../edge/mod.ts";
import {
  compileRules,
  type DescribedRequest,
  DEVICES,
  explainRequest,
  type Explanation,
  factsFromRequest,
  METHODS,
  normalizePath,
  parseIp,
  type RequestFacts,
  type RuleExplanation,
} from "../../rules/mod.ts";
import { defineCommand, definedOnly, repeated, wholeNumber } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { type Palette, printable } from "../terminal/mod.ts";
import { loadValidRules, readRulesSource } from "./rules_file.ts";

const MAX_ASN = 4_294_967_295;

function country(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError("Give a country code of two letters.");
}

function httpMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.some((known) => known === method)) return method;
  throw new InvalidArgumentError(`Give one of ${METHODS.join(", ")}.`);
}

function urlOrPath(text: string): string {
  if (/^(?:https?:\/\/|\/)/i.test(text)) return text;
  throw new InvalidArgumentError(
    'Give a URL with http:// or https://, or a path with a leading "/".',
  );
}

function address(text: string): string {
  if (parseIp(text) !== undefined) return text;
  throw new InvalidArgumentError("Give an IPv4 or IPv6 address.");
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
      throw new CliError("usage", `Give --header as name:value, not "${printable(line)}"`);
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
  throw new CliError("usage", `Give another URL: the edge answers 400 to "${shown}"`);
}

function describeOutcome({ outcome }: RuleExplanation, colors: Palette): string {
  switch (outcome.state) {
    case "applied":
      return colors.green("applied");
    case "skipped":
      return colors.yellow(`matches, no effect: ${printable(outcome.reason)}`);
    case "disabled":
      return colors.dim("disabled");
    case "not_matched": {
      const { field, wanted, seen } = outcome.mismatch;
      return colors.dim(printable(`${field} wants ${wanted}, sees ${seen}`));
    }
  }
}

function formatExplanation(explanation: Explanation, colors: Palette): string {
  const { method, host, path, rawQuery } = explanation.request;
  const query = rawQuery === "" ? "" : `?${rawQuery}`;
  const lines = [colors.bold(printable(`${method} ${host}${path}${query}`))];
  let phase: string | undefined;
  for (const rule of explanation.rules) {
    if (rule.phase !== phase) lines.push("", colors.cyan(rule.phase));
    phase = rule.phase;
    lines.push(`  ${printable(rule.id)} (${rule.action}): ${describeOutcome(rule, colors)}`);
  }
  return [...lines, "", ...explanation.summary.map((line) => printable(line))].join("\n");
}

/** What the edge would know of the address: its country, where the user did not say it. */
async function countryOf(ip: string | undefined): Promise<string | undefined> {
  return ip === undefined ? undefined : (await loadGeo()).geo.country(ip);
}

export default defineCommand({
  description:
    "Sends no request: the platform's engine judges the request on this machine. If they " +
    "are not given, the country comes from --ip and the device from a User-Agent header.",
  define: (command) =>
    command
      .argument("<method>", "such as GET", httpMethod)
      .argument("<url>", "URL, or a path", urlOrPath)
      .option("--header <name:value>", "request header; repeatable", repeated)
      .option("--ip <address>", "address of the client", address)
      .option("--country <code>", "country of the client", country)
      .option(
        "--asn <number>",
        "autonomous system of the client",
        wholeNumber({
          min: 1,
          max: MAX_ASN,
        }),
      )
      .addOption(new Option("--device <kind>", "device of the client").choices(DEVICES))
      .option("--static-file <path>", "a static file that exists; repeatable", repeated)
      .option("--rules <file>", "rules file (default: svc.rules.toml of the project)")
      .option("--dry", "run no function code; this is always so, and scripts may say it"),
  examples: [
    ["rules explain GET /old/page", "which rules match, and how the edge answers"],
    ["rules explain GET https://example.com/ --country DE --device mobile", "for a visitor"],
    ["rules explain POST /api --header 'x-key: 1' --ip 203.0.113.7", "with headers and address"],
  ],
  answers: "{ request, rules, decision, summary }",
  async run({ args: [method, url], flags }, ctx) {
    const { runtime } = loadValidRules(await readRulesSource(ctx, flags.rules));
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
    ctx.ui.debug("build", `Explained ${explanation.rules.length} rules`);
    ctx.ui.result({ ...explanation }, formatExplanation(explanation, ctx.ui.dataColors));
  },
});
