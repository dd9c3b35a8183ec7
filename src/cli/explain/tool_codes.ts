/**
 * The codes of failures that the tool finds itself, explained; those that the
 * platform has too stand in `src/contract/error_codes`.
 *
 * @module
 */
import type { ErrorCode } from "../../contract/common.ts";
import type { CliErrorCode } from "../errors/cli_error.ts";
import type { Explanation } from "../../contract/error_codes/explanation.ts";

export const TOOL_CODES = {
  usage: {
    meaning: "The command line has an unknown command or flag, or a value that is not allowed.",
    remedy: "The message names it, and the command's --help shows what it takes. Nothing was done.",
    commands: [],
    guide: "cli.md",
  },
  action_required: {
    meaning: "A question would have to be answered, and nobody is there to answer it.",
    remedy:
      "Run one of the commands in `next`, which give the answer by a flag; --yes or --force " +
      "where you mean it.",
    commands: [],
    guide: "cli.md",
  },
  config_invalid: {
    meaning: "svc.toml, or the file of `svc serve --config`, has mistakes.",
    remedy: "Each diagnostic names line, column and what to write instead.",
    commands: ["init"],
    guide: "svc-toml.md",
  },
  credentials_invalid: {
    meaning: "The file of logins cannot be read or used.",
    remedy: "Log in again, which writes it anew, or set SVC_TOKEN, which needs no file.",
    commands: ["login"],
    guide: "cli.md",
  },
  build_failed: {
    meaning: "The project's own install or build command failed.",
    remedy: "Its last lines say why. Run the same command by hand in the project's folder; " +
      "`[build]` of svc.toml sets another.",
    commands: ["build", "logs"],
    guide: "builds.md",
  },
  app_undecided: {
    meaning: "The folder holds several projects, and svc cannot tell which one is meant.",
    remedy: "Name the folder: as the argument, or as the project's root directory.",
    commands: ["projects update"],
    guide: "builds.md",
  },
  output_missing: {
    meaning: "The build made no output where svc looked for it.",
    remedy: "Set `build.output` in svc.toml to the folder that the build writes.",
    commands: ["build"],
    guide: "frameworks.md",
  },
  output_invalid: {
    meaning: "The build's output cannot be deployed as it is.",
    remedy: "The message names the file and what is wrong with it.",
    commands: ["build"],
    guide: "frameworks.md",
  },
  functions_invalid: {
    meaning: "A function of the project could not be bundled or is named wrongly.",
    remedy: "Each diagnostic names file and line.",
    commands: ["build", "functions list"],
    guide: "functions.md",
  },
  server_invalid: {
    meaning:
      "The project's server cannot be run as it is described, or the project shows a server " +
      "that nothing starts.",
    remedy:
      "Name the file or command that starts it; the message says where. To publish the files " +
      "as a static site, write static = true under [build] of svc.toml.",
    commands: ["build", "preview"],
    guide: "frameworks.md",
  },
  rules_test_failed: {
    meaning: "Rules decide otherwise than svc.rules.test.toml expects.",
    remedy: "Each failed case shows what was expected and what came. Explain its request to see " +
      "which rule decided.",
    commands: ["rules test", "rules explain"],
    guide: "rules-tests.md",
  },
  deployment_failed: {
    meaning: "A deployment did not go live. What was live before still is.",
    remedy: "Its message says why. `svc logs` shows what its server wrote; the page of a " +
      "deployment from git has the log of its build.",
    commands: ["deployments", "builds list", "logs"],
    guide: "builds.md",
  },
  task_failed: {
    meaning: "A scheduled task that was run by hand answered with a failure.",
    remedy: "`svc logs` shows what the server wrote meanwhile.",
    commands: ["cron list", "logs"],
    guide: "cron.md",
  },
  variables_missing: {
    meaning: "svc.toml requires variables that the environment does not have.",
    remedy: "Set them by the commands in `next`.",
    commands: ["env list", "env set"],
    guide: "environments.md",
  },
  variables_refused: {
    meaning: "Variables of a file have names or values that are not allowed; none was set.",
    remedy: "Correct the lines that `problems` lists, and run it again.",
    commands: ["env set"],
    guide: "environments.md",
  },
  context_invalid: {
    meaning: "The chosen environment of this folder is not there any more.",
    remedy: "Choose another one, or clear the choice.",
    commands: ["context show", "context clear"],
    guide: "environments.md",
  },
  not_runnable: {
    meaning: "The program after `--` cannot be started.",
    remedy: "Check its name and PATH; shell syntax needs a shell: sh -c '…'.",
    commands: ["env exec"],
    guide: "environments.md",
  },
  not_upgradable: {
    meaning: "This program cannot replace itself.",
    remedy:
      "The message says why: another program owns the file, or the wanted release could not " +
      "read this machine's data.",
    commands: ["upgrade"],
    guide: "releases.md",
  },
  release_unusable: {
    meaning:
      "A release could not be had, or its signature or digest is wrong; nothing was changed.",
    remedy: "Try again later. If its signature is wrong, do not use that copy.",
    commands: ["upgrade"],
    guide: "releases.md",
  },
  not_writable: {
    meaning: "A file of the tool's own, such as the logins, cannot be written.",
    remedy: "The message names file and reason; look at its folder's owner and permissions.",
    commands: [],
    guide: "cli.md",
  },
  file_unusable: {
    meaning: "A file or folder that was named cannot be read or written.",
    remedy: "The message names it and why. Look at its owner and permissions.",
    commands: [],
    guide: "cli.md",
  },
  domain_unverified: {
    meaning: "The records that prove a domain were not found.",
    remedy:
      "Set the records that are shown where the domain's DNS is kept, and verify again. New " +
      "records take minutes to be seen everywhere.",
    commands: ["domains verify"],
    guide: "domains.md",
  },
  not_delivered: {
    meaning: "A notification or webhook could not be delivered.",
    remedy: "The message holds the answer of the receiver.",
    commands: ["notifications test", "webhooks list"],
    guide: "notifications.md",
  },
  database_failed: {
    meaning: "A database could not be created, started, moved or changed.",
    remedy: "Its description has the reason of its state.",
    commands: ["db info", "doctor"],
    guide: "databases.md",
  },
  query_failed: {
    meaning: "PostgreSQL refused a statement.",
    remedy: "The message holds its words, the place in the text, SQLSTATE and hint.",
    commands: ["db schema", "db query"],
    guide: "databases.md",
  },
  unsupported: {
    meaning: "This system, or this way to run svc, has not what the command needs.",
    remedy: "The message names what is missing.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  port_in_use: {
    meaning: "Another program listens on the port.",
    remedy: "End it, or choose another port; 0 takes a free one.",
    commands: ["serve"],
    guide: "platform.md",
  },
  not_listening: {
    meaning: "The platform could not listen, or ended before it did.",
    remedy: "The lines above and its log say why.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_dir_in_use: {
    meaning: "Another platform runs on the data directory.",
    remedy: "Stop it, take over from it by --replace, or name another directory.",
    commands: ["serve", "doctor"],
    guide: "platform.md",
  },
  node_id_in_use: {
    meaning: "Another node that shares the store has the name of this one.",
    remedy: "Give each node a name of its own with --node-id. The name of a node that is gone is " +
      "free after 15 seconds.",
    commands: ["nodes", "serve"],
    guide: "scaling.md",
  },
  not_replaced: {
    meaning: "The platform on this data directory did not hand over to the new one.",
    remedy: "The message says why. See which of them runs before you try again.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_dir_unusable: {
    meaning: "The data directory cannot be used: it is no folder, not writable, or not svc's.",
    remedy: "Name another one, or correct its owner and permissions.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_newer: {
    meaning: "A newer svc wrote the data directory; this one could damage it.",
    remedy: "Use the newer program, or restore a backup that this one can read.",
    commands: ["upgrade", "restore"],
    guide: "releases.md",
  },
  data_not_migrated: {
    meaning: "The data directory has an older format and is not, or not wholly, migrated.",
    remedy: "Mend what the message names and start svc serve again, or restore the backup from " +
      "before for the older program.",
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  data_incomplete: {
    meaning: "Parts of the platform's data are missing, such as its keys or its store.",
    remedy: "Bring back what the message names, from a backup if need be. Nothing was written.",
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  backup_unusable: {
    meaning: "A backup cannot be made, or the file is damaged, cut off or none of svc's.",
    remedy: "The message says which; nothing was written over.",
    commands: ["backup", "restore"],
    guide: "platform.md",
  },
  store_unusable: {
    meaning: "The store of the platform's records cannot be opened.",
    remedy: "The message says why: a damaged file, a server out of reach, a wrong password.",
    commands: ["doctor", "restore"],
    guide: "scaling.md",
  },
  keys_unusable: {
    meaning: "The file with the platform's keys is missing or damaged.",
    remedy: "Bring it back from a backup: without it, secrets cannot be read again.",
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  declined: {
    meaning: "A person was asked, and said no. Nothing was done.",
    remedy: "Run it again and say yes, or give --yes.",
    commands: [],
    guide: "cli.md",
  },
  interrupted: {
    meaning: "The command was stopped before it ended.",
    remedy: "The platform may have carried out what was under way: check there, then run it again.",
    commands: ["deployments"],
    guide: "cli.md",
  },
  unreachable: {
    meaning: "No platform answers at that address, or its certificate is not trusted.",
    remedy: "Start one by svc serve, or name the right one by --api-url or SVC_API_URL.",
    commands: ["whoami", "serve"],
    guide: "cli.md",
  },
  contract: {
    meaning: "What answered does not speak as an svc platform of this version does.",
    remedy: "Check the address, and upgrade the older of the two.",
    commands: ["upgrade", "whoami"],
    guide: "api.md",
  },
} as const satisfies Readonly<Record<Exclude<CliErrorCode, ErrorCode>, Explanation>>;
