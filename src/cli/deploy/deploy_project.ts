/** @module Runs a deploy, from the project folder to the live deployment. */
import { join } from "node:path";
import { packProject, RULES_FILE, runCheckCommands } from "../../build/mod.ts";
import type { Client } from "../../client/client.ts";
import { isForbidden } from "../../client/errors.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { createSecretMasker } from "../../lib/mask_secrets.ts";
import { schemaLines } from "../../lib/schema_lines.ts";
import { MIGRATION_MS } from "../../lib/database_previews.ts";
import type { Deployment } from "../../contract/deployments.ts";
import type { Project } from "../../contract/projects.ts";
import { definedOnly } from "../command/defined_only.ts";
import { fetchIfReadable } from "../env/fetch_variables.ts";
import { CliError } from "../errors/cli_error.ts";
import { bindFolder } from "../projects/bind_folder.ts";
import { offerImport } from "../projects/offer_import.ts";
import { openProjectFolder, type ProjectFolder } from "../projects/project_folder.ts";
import { resolveProject } from "../projects/resolve_project.ts";
import { reportRulesInEffect, type RulesInEffect } from "../rules/published_rules.ts";
import { warnOfPlatform } from "../rules/platform_facts.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatCount, formatDuration } from "../terminal/format.ts";
import { formatFacts } from "../terminal/table.ts";
import { createBuildHost, explainBuild } from "./build_host.ts";
import {
  checkDeclarations,
  checkDeployTargetFlags,
  chooseDeployTarget,
  type DeployTarget,
  type DeployTargetFlags,
} from "./deploy_target.ts";
import { formatChecks } from "./format_checks.ts";
import { dryRun, type PackedDeployment } from "./dry_run.ts";
import { explainStop } from "./end_unfinished.ts";
import { type GitFacts, readGitFacts } from "../projects/git_facts.ts";
import { reportRelease, type RollingFlags, rollingOf } from "./rolling.ts";
import { findMissingParts, warnOfMissingParts } from "./missing_parts.ts";
import { sendDeployment, type Sent } from "./send_deployment.ts";

interface DeployFlags extends DeployTargetFlags, RollingFlags {
  readonly projectId?: string | undefined;
  readonly skipBuild?: true | undefined;
  readonly buildCommand?: string | undefined;
  readonly framework?: string | undefined;
  readonly branch?: string | undefined;
  readonly message?: string | undefined;
  readonly skipEnvCheck?: true | undefined;
  readonly dryRun?: true | undefined;
}

/** Builds, validates and hashes the project: everything that does not need the platform. */
async function packDeployment(
  ctx: Context,
  folder: ProjectFolder,
  facts: {
    readonly flags: DeployFlags;
    readonly client: Client;
    readonly project: Project;
    readonly git: GitFacts;
    readonly environment: string;
    /** The current folder, or `undefined` if the user named a folder. */
    readonly standing: string | undefined;
  },
): Promise<PackedDeployment> {
  const { flags, client, project, git, environment, standing } = facts;
  const branch = flags.branch ?? git.branch ?? project.branch;
  const pack = await explainBuild(
    ctx,
    packProject(createBuildHost(ctx), {
      directory: folder.directory,
      standing,
      config: folder.config,
      settings: project,
      buildCommand: flags.buildCommand,
      framework: flags.framework,
      skipBuild: flags.skipBuild === true,
      cachedAt: { root: folder.directory, now: ctx.now },
      variables: () => fetchIfReadable(ctx, client, { project: project.id, environment, branch }),
    }),
  );
  if (pack.rules !== undefined) {
    await warnOfPlatform(ctx, join(pack.home, RULES_FILE));
  }
  return {
    pack,
    body: {
      ...git,
      ...definedOnly({ branch: flags.branch, message: flags.message }),
      environment,
      manifest: pack.manifest,
      rules: pack.rules,
    },
  };
}

function reportSent(
  ctx: Context,
  sent: Sent,
  { target, milliseconds, rulesInEffect }: {
    readonly target: DeployTarget;
    readonly milliseconds: number;
    readonly rulesInEffect: RulesInEffect | null;
  },
): void {
  const { deployment, uploaded, reused } = sent;
  // The printed deployment is live, so its `error`, which is reserved for failures, is left out.
  const { error: _, ...live } = deployment;
  const { urls } = deployment;
  ctx.ui.done(
    "deploy",
    `Deployed ${formatCount(deployment.fileCount, "file")} in ${formatDuration(milliseconds)}: ` +
      `${uploaded.files} uploaded, ${reused.files} reused`,
  );
  if (deployment.checks !== undefined) ctx.ui.note(formatChecks(deployment.checks));
  const schema = schemaLines(deployment.schemaDifference);
  if (schema !== undefined) {
    ctx.ui.note([schema.title, ...schema.lines.map((line) => `  ${line}`)].join("\n"));
  }
  ctx.ui.note(formatFacts([
    ["  unique", urls.unique],
    ["  branch", urls.branch],
    [`  ${target.name}`, target.url],
    ["  production", shownProduction(deployment)],
  ]));
  const address = deployment.isProduction ? urls.production : urls.unique;
  ctx.ui.result({ ...live, uploaded, reused, rulesInEffect }, address);
}

function shownProduction({ urls, isProduction, environment }: Deployment): string {
  if (isProduction) return urls.production;
  return environment === ENVIRONMENT_PRODUCTION
    ? `${urls.production} (not everyone sees this deployment yet)`
    : `${urls.production} (unchanged; deploy there with --prod)`;
}

/**
 * Builds the project in `dir`, by default the nearest folder with a svc.toml, and deploys it. With
 * `dryRun`, no deployment is created.
 *
 * @throws {CliError} if the flags contradict each other, or a step fails.
 */
export async function deployProject(
  ctx: Context,
  dir: string | undefined,
  flags: DeployFlags,
): Promise<void> {
  if (flags.skipBuild === true && flags.buildCommand !== undefined) {
    throw new CliError("usage", "Use either --skip-build or --build-command");
  }
  checkDeployTargetFlags(flags);
  const rolling = rollingOf(flags);
  if (rolling !== undefined && flags.prod !== true) {
    throw new CliError("usage", "--rolling is for production: add --prod");
  }
  const folder = await openProjectFolder(ctx, dir);
  const [{ client, project, chosen }, git, missingParts] = await Promise.all([
    resolveProject(ctx, {
      folder,
      given: flags.projectId,
      phase: "deploy",
      binds: true,
      ...(flags.dryRun === true ? { mustExist: true } : {}),
    }),
    readGitFacts(folder.directory, ctx.env),
    findMissingParts(folder.directory),
  ]);
  if (chosen) await bindFolder(ctx, folder, project);
  const target = await chooseDeployTarget(ctx, flags, { client, project, folder });
  const { name: environment } = target;
  if (flags.skipEnvCheck !== true) {
    await checkDeclarations(ctx, environment, { client, project, folder })
      .catch((error) => {
        if (!isForbidden(error)) throw error;
        ctx.ui.log(
          "env",
          "warn",
          "Skipped the check of declared variables: the key cannot read them",
        );
      });
  }
  const ready = flags.dryRun === true ? folder : await offerImport(ctx, folder);
  warnOfMissingParts(ctx, missingParts);
  const packed = await packDeployment(ctx, ready, {
    flags,
    client,
    project,
    git,
    environment,
    standing: dir === undefined ? ctx.cwd : undefined,
  });
  if (flags.dryRun === true) return await dryRun(ctx, { client, project, packed });
  const { pack, body } = packed;
  const where = showPath(pack.output, ctx);
  ctx.ui.log(
    "deploy",
    "info",
    `Deploying ${where} to ${project.name} (${body.environment})`,
  );
  const commands = folder.config?.checks?.commands ?? [];
  const sent = await sendDeployment(ctx, {
    client,
    rolling,
    checkCommands: environment === ENVIRONMENT_PRODUCTION && commands.length > 0
      ? (place) =>
        runCheckCommands(createBuildHost(ctx), {
          commands,
          directory: folder.directory,
          place,
          now: ctx.now,
        })
      : undefined,
    migrate: folder.config?.db.migrate === undefined
      ? undefined
      : async ({ command, variables }) => {
        const host = createBuildHost(ctx);
        const [result] = await runCheckCommands(host, {
          commands: [command],
          directory: folder.directory,
          variables,
          quotes: true,
          timeMs: MIGRATION_MS,
          now: ctx.now,
        });
        // The reason can quote the connection string, and anyone with access to the deployment
        // can see it.
        const { mask } = createSecretMasker(
          Object.values(variables).flatMap((value) => [value, URL.parse(value)?.password ?? ""]),
        );
        return { ...result!, problem: result!.problem && mask(result!.problem) };
      },
    cleanupClient: ctx.client({
      phase: "deploy",
      folder,
      outlivesStop: true,
    }),
    project,
    files: pack.files,
    functions: pack.functions,
    body,
    root: folder.directory,
  });
  const milliseconds = ctx.elapsed();
  const rulesInEffect = sent.deployment.isProduction
    ? await reportRulesInEffect(ctx, client, { project: project.id, phase: "deploy" })
    : null;
  if (ctx.signal.aborted) {
    const { deployment } = sent;
    const unfinished = { id: deployment.id, project, isActivating: true };
    throw explainStop(ctx, { type: "live", deployment }, unfinished);
  }
  if (rolling !== undefined && !sent.deployment.isProduction) {
    reportRelease(ctx, sent.deployment, rolling);
  }
  reportSent(ctx, sent, { target, milliseconds, rulesInEffect });
}
