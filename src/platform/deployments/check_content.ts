/**
 * Validation of what a deployment is to be made of: the platform trusts no
 * client's checks.
 *
 * @module
 */
import type { DeploymentFile, DeploymentFunction, Problem } from "../../contract/mod.ts";
import { neededFunctions } from "../../edge/mod.ts";
import {
  formatManifestProblems,
  type Manifest,
  outputFilesOf,
  validateManifest,
} from "../../manifest/mod.ts";
import { loadRulesValue, type RuntimeRuleSet } from "../../rules/mod.ts";
import { Failure } from "../http/failure.ts";

/** Most problems of one kind that an answer lists. */
const MAX_PROBLEMS = 100;

/** @throws {Failure} `invalid_request` where two files share a path, or one is another's folder. */
export function checkFiles(files: readonly DeploymentFile[]): void {
  const paths = new Set<string>();
  const problems: Problem[] = [];
  files.forEach(({ path }, index) => {
    if (paths.has(path)) {
      problems.push({
        path: `body.files[${index}].path`,
        message: `Path "${path}" is listed twice`,
      });
    }
    paths.add(path);
  });
  files.forEach(({ path }, index) => {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      if (!paths.has(path.slice(0, end))) continue;
      const message = `Path "${path}" lies below "${path.slice(0, end)}", which is a file`;
      problems.push({ path: `body.files[${index}].path`, message });
    }
  });
  if (problems.length === 0) return;
  throw new Failure("invalid_request", problems[0]!.message, {
    problems: problems.slice(0, MAX_PROBLEMS),
  });
}

/** @throws {Failure} `manifest_invalid`, with the text of the specification. */
export function checkManifest(value: unknown, files: readonly DeploymentFile[]): Manifest {
  const result = validateManifest(value, outputFilesOf(files.map((file) => file.path)));
  if (!result.ok) {
    throw new Failure("manifest_invalid", formatManifestProblems(result.problems), {
      problems: result.problems.slice(0, MAX_PROBLEMS),
    });
  }
  return result.manifest;
}

/**
 * @throws {Failure} `rules_invalid`: also where a pipeline needs a function
 * that is not among `functions`.
 */
export function checkRules(value: unknown, functions: ReadonlySet<string>): RuntimeRuleSet {
  const { runtime, diagnostics } = loadRulesValue(value);
  const problems = diagnostics
    .filter((diagnostic) => diagnostic.severity === "error")
    .map(({ path, message, ruleId }) => ({
      path,
      message: ruleId === undefined ? message : `Rule "${ruleId}": ${message}`,
    }));
  if (runtime === undefined || problems.length > 0) {
    const first = problems[0];
    throw new Failure("rules_invalid", `Rule set is not valid: ${first?.path}: ${first?.message}`, {
      problems: problems.slice(0, MAX_PROBLEMS),
    });
  }
  const missing = neededFunctions(runtime)
    .filter((needed) => !functions.has(needed.function))
    .map((needed) => ({
      path: needed.ruleId,
      message: `Rule "${needed.ruleId}" uses the function "${needed.function}", ` +
        "which the deployment does not have",
    }));
  if (missing.length > 0) {
    throw new Failure("rules_invalid", missing[0]!.message, {
      problems: missing.slice(0, MAX_PROBLEMS),
    });
  }
  return runtime;
}

/** @throws {Failure} `invalid_request` where two functions share a name. */
export function checkFunctions(functions: readonly DeploymentFunction[]): Set<string> {
  const names = new Set(functions.map((each) => each.name));
  if (names.size === functions.length) return names;
  throw new Failure("invalid_request", "Each function must have a name of its own");
}
