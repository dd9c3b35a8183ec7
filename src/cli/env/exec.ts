import { childVariables } from "../../lib/child_variables.ts";
import { defineCommand } from "../command/command.ts";
import { repeatedList } from "../command/option_values.ts";
import { requireEnvironment } from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount } from "../terminal/format.ts";
import { readGitFacts } from "../projects/git_facts.ts";
import { fetchVariables } from "./fetch_variables.ts";
import { runChild } from "./run_child.ts";

export default defineCommand({
  description:
    "The command gets your shell's environment plus the project's variables. No file is written, and no shell parses the command line. svc's own credentials, such as SVC_TOKEN, are removed. svc forwards signals and exits with the command's exit code, or 127 if the program does not exist. With --json, each output line becomes a log line on stderr, and stdout contains one object at the end. Project variables that control which code runs, such as PATH, LD_PRELOAD or NODE_OPTIONS, are left out unless you pass them with --allow.",
  define: (command) =>
    command
      .argument("<command...>", "after --, the program and its arguments")
      .option("--environment <name-or-id>", "environment whose variables to pass")
      .option(
        "--allow <names>",
        "also pass these variables, although they control which code runs",
        repeatedList,
      )
      .option(...PROJECT_OPTION),
  examples: [
    ["env exec -- npm run dev", "run it with the variables of this checkout's environment"],
    [
      "env exec --environment production -- ./migrate --dry-run",
      "run it with production's variables",
    ],
  ],
  async run({ args: [[program, ...args]], flags }, ctx) {
    if (program === undefined || program === "") {
      throw new CliError("usage", "No command: use svc env exec -- <command>");
    }
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const { environment } = await requireEnvironment(ctx, {
      given: flags.environment,
      folder,
      project,
      client,
      phase: "env",
    });
    const { branch } = await readGitFacts(folder.directory, ctx.env);
    const variables = await fetchVariables(ctx, client, {
      project: project.id,
      environment: environment.name,
      branch,
    });
    const { env, heldBack } = childVariables(ctx.env, variables, flags.allow ?? []);
    if (heldBack.length > 0) {
      ctx.ui.log(
        "env",
        "warn",
        `Left out these variables, because they control which code runs: ${
          heldBack.join(", ")
        } (pass them with --allow)`,
      );
    }
    const count = Object.keys(variables).length - heldBack.length;
    ctx.ui.log("env", "info", `Running with ${formatCount(count, "variable")}`);
    const exitCode = await runChild(ctx, { program, args, env });
    // In text mode, stdout must contain only the command's output.
    ctx.ui.result({ exitCode, environment: environment.name, variables: count }, "");
    return exitCode;
  },
});
