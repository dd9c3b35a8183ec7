import { Argument } from "@commander-js/extra-typings";
import { defineCommand } from "../command/command.ts";
import { completionScript, type Shell, SHELLS } from "./complete.ts";

export default defineCommand({
  description:
    "The script completes commands, flags and their choices. It also completes names of projects, environments, deployments and other resources from the platform.",
  define: (command) =>
    command.addArgument(new Argument("<shell>", "shell to print the script for").choices(SHELLS)),
  examples: [
    ["completion bash > ~/.local/share/bash-completion/completions/svc", "for bash"],
    ["completion zsh > ~/.zfunc/_svc", "for zsh, with ~/.zfunc in fpath"],
    ["completion fish > ~/.config/fish/completions/svc.fish", "for fish"],
  ],
  async run({ args: [shell] }, ctx) {
    const script = await completionScript(shell satisfies Shell);
    ctx.ui.result({ shell, script }, script);
  },
});
