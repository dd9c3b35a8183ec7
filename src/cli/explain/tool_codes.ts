/** @module Explains the error codes that only the CLI uses. */
import type { ErrorCode } from "../../contract/common.ts";
import type { CliErrorCode } from "../errors/cli_error.ts";
import type { Explanation } from "../../contract/error_codes/explanation.ts";

export const TOOL_CODES = {
  usage: {
    meaning: "The command line has an unknown command or flag, or an invalid value.",
    remedy: "Run the command with --help to see its arguments and flags. Nothing was changed.",
    isHint: true,
    commands: [],
    guide: "cli.md",
  },
  action_required: {
    meaning: "The command needs a confirmation or a value, but cannot ask for it.",
    remedy: "Run one of the commands in `next`. They confirm with a flag such as --yes or --force.",
    isHint: true,
    commands: [],
    guide: "cli.md",
  },
  config_invalid: {
    meaning: "svc.toml, or the file given with `svc serve --config`, has errors.",
    remedy: "Each diagnostic includes the line, the column and a suggestion.",
    isHint: true,
    commands: ["init"],
    guide: "svc-toml.md",
  },
  credentials_invalid: {
    meaning: "The credentials file cannot be read or used.",
    remedy: "Log in again to rewrite the file, or set SVC_TOKEN, which needs no file.",
    isHint: true,
    commands: ["login"],
    guide: "cli.md",
  },
  build_failed: {
    meaning: "The project's install or build command failed.",
    remedy: "Check the end of the build output. Run the same command in the project folder, or " +
      "set `command` under `[build]` in svc.toml.",
    isHint: true,
    commands: ["build", "logs"],
    guide: "builds.md",
  },
  app_undecided: {
    meaning: "The folder has several projects, and svc cannot tell which one to use.",
    remedy: "Pass the folder as an argument, or set the root directory of the project.",
    isHint: true,
    commands: ["projects update"],
    guide: "builds.md",
  },
  output_missing: {
    meaning: "svc did not find the build output.",
    remedy: "Set `output_dirs` under `[build]` in svc.toml to the folder that the build writes.",
    commands: ["build"],
    guide: "frameworks.md",
  },
  output_invalid: {
    meaning: "The build output cannot be deployed.",
    remedy: "The message names the file and the problem.",
    commands: ["build"],
    guide: "frameworks.md",
  },
  functions_invalid: {
    meaning: "A function cannot be bundled or has an invalid name.",
    remedy: "Each diagnostic includes the file and the line.",
    isHint: true,
    commands: ["build", "functions list"],
    guide: "functions.md",
  },
  server_invalid: {
    meaning: "The server configuration is not valid, or nothing starts the project's server.",
    remedy:
      "Set the file or command that starts it, as the message says. To publish the files as " +
      "a static site, set static = true under [build] in svc.toml.",
    isHint: true,
    commands: ["build", "preview"],
    guide: "frameworks.md",
  },
  rules_test_failed: {
    meaning: "The rules do not match the expectations in svc.rules.test.toml.",
    remedy:
      "Each failed case includes the expected and the actual result. Use svc rules explain to " +
      "see which rule decided.",
    isHint: true,
    commands: ["rules test", "rules explain"],
    guide: "rules-tests.md",
  },
  deployment_failed: {
    meaning: "The deployment did not go live. The previous deployment is still live.",
    remedy: "Run svc logs to see the output of the server, or svc logs --build for the build log.",
    isHint: true,
    commands: ["deployments", "builds list", "logs"],
    guide: "builds.md",
  },
  task_failed: {
    meaning: "A scheduled task that you started failed.",
    remedy: "Run svc logs to see the output of the server.",
    isHint: true,
    commands: ["cron list", "logs"],
    guide: "cron.md",
  },
  variables_missing: {
    meaning: "The environment lacks variables that svc.toml requires.",
    remedy: "Set them with the commands in `next`.",
    isHint: true,
    commands: ["env list", "env set"],
    guide: "environments.md",
  },
  variables_refused: {
    meaning: "A dotenv file has invalid names or values. Nothing was set.",
    remedy: "Fix the lines in `problems`, then run the command again.",
    isHint: true,
    commands: ["env set"],
    guide: "environments.md",
  },
  context_invalid: {
    meaning: "The environment of this checkout no longer exists.",
    remedy: "Choose another one with svc context use, or clear it with svc context clear.",
    isHint: true,
    commands: ["context show", "context clear"],
    guide: "environments.md",
  },
  not_runnable: {
    meaning: "The program after `--` cannot be started.",
    remedy: "Check its name and PATH. For shell syntax, use sh -c '…'.",
    isHint: true,
    commands: ["env exec"],
    guide: "environments.md",
  },
  not_upgradable: {
    meaning: "This program cannot replace itself.",
    remedy: "The message gives the reason: a package manager owns the file, or the release " +
      "cannot read this machine's data.",
    commands: ["upgrade"],
    guide: "releases.md",
  },
  release_unusable: {
    meaning: "A release cannot be downloaded, or its signature or digest is wrong. Nothing was " +
      "changed.",
    remedy: "Try again later. If the signature is wrong, do not use that copy.",
    isHint: true,
    commands: ["upgrade"],
    guide: "releases.md",
  },
  not_writable: {
    meaning: "svc cannot write one of its files, such as the credentials file.",
    remedy: "Check the owner and permissions of the folder in the message.",
    isHint: true,
    commands: [],
    guide: "cli.md",
  },
  file_unusable: {
    meaning: "A file or folder cannot be read or written.",
    remedy: "Check its owner and permissions.",
    commands: [],
    guide: "cli.md",
  },
  domain_unverified: {
    meaning: "The domain's ownership record was not found.",
    remedy: "Add the records where you manage the DNS of the domain, then verify again. New " +
      "records can take minutes to become visible.",
    isHint: true,
    commands: ["domains verify"],
    guide: "domains.md",
  },
  not_delivered: {
    meaning: "A notification, a webhook event or a drain test could not be delivered.",
    remedy: "The message contains the receiver's response.",
    commands: ["notifications test", "webhooks list", "drains list"],
    guide: "notifications.md",
  },
  database_failed: {
    meaning: "A database could not be created, started, moved or changed.",
    remedy: "Run svc db info to see the reason.",
    isHint: true,
    commands: ["db info", "doctor"],
    guide: "databases.md",
  },
  query_failed: {
    meaning: "PostgreSQL refused a statement.",
    remedy: "The message contains the PostgreSQL error, its position and SQLSTATE.",
    commands: ["db schema", "db query"],
    guide: "databases.md",
  },
  unsupported: {
    meaning: "The system, or the way svc runs, lacks something that the command needs.",
    remedy: "The message names what is missing.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  port_in_use: {
    meaning: "Another program is listening on the port.",
    remedy: "Stop it, or choose another port. Port 0 uses any free one.",
    isHint: true,
    commands: ["serve"],
    guide: "platform.md",
  },
  not_listening: {
    meaning: "The platform could not listen, or exited before it could.",
    remedy: "Check the output above the error, and the platform's log.",
    isHint: true,
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_dir_in_use: {
    meaning: "Another platform uses the data directory.",
    remedy: "Stop it, replace it with svc serve --replace, or choose another directory with " +
      "--data-dir.",
    isHint: true,
    commands: ["serve", "doctor"],
    guide: "platform.md",
  },
  node_id_in_use: {
    meaning: "Another node that uses the shared store has the same name.",
    remedy: "Give each node a unique name with --node-id. The name of a stopped node is free " +
      "after 15 seconds.",
    isHint: true,
    commands: ["nodes", "serve"],
    guide: "scaling.md",
  },
  not_replaced: {
    meaning: "The running platform did not hand over to the new one.",
    remedy: "Check which of the two is running before you try again.",
    isHint: true,
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_dir_unusable: {
    meaning: "The data directory is not a folder, is not writable, or does not belong to svc.",
    remedy: "Choose another directory, or fix its owner and permissions.",
    isHint: true,
    commands: ["doctor"],
    guide: "platform.md",
  },
  data_newer: {
    meaning: "A newer version of svc wrote the data directory. This version could damage it.",
    remedy: "Use the newer version, or restore a backup that this version can read.",
    isHint: true,
    commands: ["upgrade", "restore"],
    guide: "releases.md",
  },
  data_not_migrated: {
    meaning: "The data directory has an older format and is not fully migrated.",
    remedy: "Fix the problem in the message and start svc serve again, or restore the earlier " +
      "backup for the older version.",
    isHint: true,
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  data_incomplete: {
    meaning: "Parts of the platform's data are missing, such as its keys or its store.",
    remedy: "Restore the missing parts, from a backup if necessary. Nothing was written.",
    isHint: true,
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  backup_unusable: {
    meaning:
      "The backup cannot be created, or the file is damaged, incomplete or not a backup of " +
      "svc.",
    remedy: "The message gives the reason. Nothing was overwritten.",
    commands: ["backup", "restore"],
    guide: "platform.md",
  },
  store_unusable: {
    meaning: "The platform's store cannot be opened.",
    remedy: "The message gives the reason: a damaged file, an unreachable server or a wrong " +
      "password.",
    commands: ["doctor", "restore"],
    guide: "scaling.md",
  },
  keys_unusable: {
    meaning: "The file with the platform's keys is missing or damaged.",
    remedy: "Restore it from a backup. Without it, secrets cannot be decrypted.",
    isHint: true,
    commands: ["restore", "doctor"],
    guide: "platform.md",
  },
  declined: {
    meaning: "You answered no. Nothing was changed.",
    remedy: "Run the command again and answer yes, or use --yes.",
    isHint: true,
    commands: [],
    guide: "cli.md",
  },
  interrupted: {
    meaning: "The command was interrupted.",
    remedy: "The platform may have completed requests in progress. Check the state, then run the " +
      "command again.",
    isHint: true,
    commands: ["deployments"],
    guide: "cli.md",
  },
  unreachable: {
    meaning: "No platform responds at the URL, or its certificate is not trusted.",
    remedy: "Start a platform with svc serve, or set the right URL with --api-url or SVC_API_URL.",
    isHint: true,
    commands: ["whoami", "serve"],
    guide: "cli.md",
  },
  contract: {
    meaning: "The server is not an svc platform, or its version does not match the CLI's version.",
    remedy: "Check the URL. Upgrade the CLI or the platform, whichever is older.",
    isHint: true,
    commands: ["upgrade", "whoami"],
    guide: "api.md",
  },
} as const satisfies Readonly<Record<Exclude<CliErrorCode, ErrorCode>, Explanation>>;
