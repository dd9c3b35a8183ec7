/**
 * @module Decides whether a variable is plain or secret, based on a flag, its declaration, or the
 * user's choice.
 */
import type { EnvDeclaration } from "../../config/project_config.ts";
import type { VariableCategory } from "../../contract/variables.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { categoryOfVisibility } from "./missing_variables.ts";

/** Returns the category that `--plain` or `--secret` sets. Using both is a usage error. */
export function categoryOfFlags(
  flags: { readonly plain?: true | undefined; readonly secret?: true | undefined },
): VariableCategory | undefined {
  if (flags.plain === true && flags.secret === true) {
    throw new CliError("usage", "Use either --plain or --secret");
  }
  if (flags.plain === true) return "plain";
  return flags.secret === true ? "secret" : undefined;
}

/**
 * Returns the category of one variable: from the flag, or from its declaration. A flag can turn a
 * variable that is declared plain into a secret, but it cannot make a sensitive variable plain.
 * Without a flag or declaration, asks the user.
 */
export async function chooseCategory(
  ctx: Pick<Context, "prompter">,
  key: string,
  facts: {
    readonly flag: VariableCategory | undefined;
    readonly declaration: EnvDeclaration | undefined;
  },
): Promise<VariableCategory> {
  const { flag, declaration } = facts;
  if (flag === "plain" && declaration?.visibility === "sensitive") {
    throw new CliError("usage", `Cannot use --plain: svc.toml declares ${key} as sensitive`, {
      hint: "To store it as plain, change its declaration in [env.declarations] first",
    });
  }
  const category = flag ?? (declaration && categoryOfVisibility(declaration.visibility));
  if (category !== undefined) return category;
  if (ctx.prompter !== undefined) {
    return await ctx.prompter.select<VariableCategory>({
      message: `How should ${key} be stored?`,
      choices: [
        { value: "secret", label: "secret", hint: "cannot be viewed again" },
        { value: "plain", label: "plain", hint: "plain text that you can view" },
      ],
    });
  }
  throw new CliError("usage", `svc.toml does not declare ${key}: use --plain or --secret`, {
    hint: `Or declare it in [env.declarations]: ${key} = "sensitive" or "plain"`,
  });
}
