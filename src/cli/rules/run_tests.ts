import { dirname, join } from "node:path";
import { formatPlace } from "../../lib/diagnostic.ts";
import {
  compileRules,
  parseRuleTests,
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "../../rules/mod.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatCount, printable } from "../terminal/format.ts";
import type { Palette } from "../terminal/color.ts";
import { loadValidRules, readRulesSource, readSource, type RulesSource } from "./rules_file.ts";

/** The file of rule tests next to `svc.rules.toml`. */
const TESTS_FILE = "svc.rules.test.toml";

function formatResult(result: RuleTestResult, file: string, colors: Palette): string {
  const name = printable(result.name);
  if (result.passed) return `${colors.green("✓")} ${name}`;
  const place = formatPlace(file, result.position);
  const failures = result.failures.map(({ field, wanted, seen }) =>
    printable(`  ${field}: expected ${wanted}, got ${seen}`)
  );
  return [`${colors.red("✗")} ${name} ${colors.dim(place)}`, ...failures].join("\n");
}

function formatReport(report: RuleTestReport, file: string, colors: Palette): string {
  const lines = report.results.map((result) => formatResult(result, file, colors));
  if (report.unreached.length > 0) {
    lines.push(
      colors.yellow(printable(`Rules without a test: ${report.unreached.join(", ")}`)),
    );
  }
  return lines.join("\n");
}

function parseTests(tests: RulesSource, ids: readonly string[]) {
  const parsed = parseRuleTests(tests.source, ids);
  if (parsed.tests !== undefined) return parsed.tests;
  const { shown: file, source } = tests;
  const count = formatCount(parsed.diagnostics.length, "problem");
  throw new CliError("rules_invalid", `${file} has ${count}`, {
    found: { file, source, diagnostics: parsed.diagnostics },
  });
}

export default defineCommand({
  description:
    "Runs a table of requests with their expected outcomes: [[tests]] with name, url and expect. Also reports rules without a test.",
  define: (command) =>
    command
      .argument("[file]", `test table (default: ${TESTS_FILE} next to the rules)`)
      .option("--rules <file>", "rules file (default: the project's svc.rules.toml)")
      .option("--dry", "no effect: function code never runs here"),
  examples: [
    ["rules test", `run ${TESTS_FILE}`],
    ["rules test ci.toml --rules edge.toml --json", "use other files, in CI"],
  ],
  async run({ args: [given], flags }, ctx) {
    const rules = await readRulesSource(ctx, flags.rules);
    const { ruleSet, runtime } = loadValidRules(rules);
    const path = given === undefined ? join(dirname(rules.path), TESTS_FILE) : ctx.path(given);
    const tests = await readSource(ctx, path);
    const rows = parseTests(tests, ruleSet.rules.map(({ id }) => id));
    const report = runRuleTests(compileRules(runtime), rows);
    ctx.ui.note(formatReport(report, tests.shown, ctx.ui.colors));
    if (report.failed > 0) {
      throw new CliError(
        "rules_test_failed",
        `${report.failed} of ${formatCount(report.results.length, "test")} failed`,
        { details: { ...report } },
      );
    }
    ctx.ui.done("build", `${formatCount(report.passed, "test")} passed`);
    ctx.ui.result({ ...report }, "");
  },
});
