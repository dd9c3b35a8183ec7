/**
 * Validation rules 6 and 7: where redirects and rewrites may lead. A redirect
 * leads to a path of the site or an absolute http(s) URL, an internal rewrite to
 * a path, an external one to an absolute https URL. A path begins with a slash;
 * only that of a redirect without captures may follow from the request's. No
 * capture can change the host: none may stand there, and an expanded path always
 * begins with one slash.
 *
 * @module
 */
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { describeValue } from "../../lib/describe_value.ts";
import { errorAt, type Finding } from "../finding.ts";
import { canonicalHost, splitAuthority } from "../host.ts";
import { type ParsedTarget, parseTarget } from "../target.ts";

type Problem = Omit<Finding, "severity" | "path">;

const MAX_PORT = 65_535;

function checkAuthority(authority: string): Problem | undefined {
  if (authority.includes("@")) {
    return {
      code: "bad_target",
      message: `Use a target without userinfo: it has ${describeValue(authority)}`,
      hint: "Remove all between // and @, and the @",
    };
  }
  const { host, port } = splitAuthority(authority);
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= MAX_PORT)) {
    return {
      code: "bad_target",
      message: `Use a target with a port from 1 to ${MAX_PORT}: it is "${port}"`,
    };
  }
  const result = canonicalHost(host);
  if ("host" in result) return undefined;
  const { wanted, hint } = result.problem;
  return {
    code: "bad_target",
    message: `Use a target with a host name ${wanted}: it is ${describeValue(host)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

function checkRelative(
  { type, target: value }: { readonly type: "redirect" | "rewrite"; readonly target: string },
  target: ParsedTarget,
): Problem | undefined {
  const isStaticRedirect = type === "redirect" && target.isFromRequest;
  if (!value.startsWith("/") && !isStaticRedirect) {
    return {
      code: "bad_target",
      message: `Begin the target with "/" or "https://": it is ${describeValue(value)}`,
      ...(type === "redirect"
        ? { hint: "Only a target without captures may follow from the path of the request" }
        : {}),
    };
  }
  const path = value.split(/[?#]/, 1)[0] ?? "";
  return path.includes("\\")
    ? {
      code: "bad_target",
      message: `Use "/" in the path of the target: it has a backslash, which browsers read as "/"`,
    }
    : undefined;
}

function checkKind(
  action: { readonly type: "redirect" | "rewrite"; readonly external?: boolean },
  target: ParsedTarget,
): Problem | undefined {
  if (action.type === "redirect") return undefined;
  if (action.external !== true) {
    return target.kind === "relative" ? undefined : {
      code: "target_kind",
      message: `Use a path as the target of an internal rewrite: it is an absolute URL`,
      hint: "Set external = true to fetch the answer from another host",
    };
  }
  return target.scheme === "https" ? undefined : {
    code: "target_kind",
    message: `Use an absolute https URL as the target of an external rewrite: it is ${
      target.kind === "relative" ? "a path" : "an http URL"
    }`,
    ...(target.kind === "relative" ? { hint: "Remove external to rewrite within the site" } : {}),
  };
}

/** Reports targets that lead where none may lead. */
export function* checkTargets(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "redirect" && action.type !== "rewrite") return;
  const path = [...rulePath(checked), "action", "target"];
  const parsed = parseTarget(action.target);
  if ("problems" in parsed) {
    for (const { message, hint } of parsed.problems) {
      if (message.startsWith("Refer to the splat")) continue;
      yield errorAt(path, { code: "bad_target", message, ...(hint === undefined ? {} : { hint }) });
    }
    return;
  }
  const { target } = parsed;
  const problems = [
    checkKind(action, target),
    target.kind === "absolute" ? checkAuthority(target.authority) : checkRelative(action, target),
  ];
  for (const problem of problems) if (problem !== undefined) yield errorAt(path, problem);
}
