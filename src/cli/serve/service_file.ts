/** @module `svc serve` as a service of systemd or launchd. Pure. */
import { join } from "node:path";
import { shellWord } from "../errors/suggested_commands.ts";

export interface Service {
  readonly command: readonly string[];
  /** Base folder for relative paths among the arguments. */
  readonly folder: string;
}

export interface ServicePlace {
  readonly os: typeof Deno.build.os;
  /** True for a system service, false for a user service. */
  readonly isRoot: boolean;
  readonly home: string;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Commands that start the service, both now and whenever the machine starts. */
  readonly next: readonly string[];
}

/** Time that a platform gets to finish requests and builds, and to stop its databases. */
const STOP_SECONDS = 90;

/** launchd's default is 256. This is OPEN_MAX on macOS. */
const OPEN_FILES_OF_MACOS = 10_240;

/** Quotes a word of a command line for systemd, and escapes specifiers and variables. */
function systemdWord(word: string): string {
  const plain = word.replaceAll("%", "%%");
  if (/^[\w./:=@%+,-]+$/.test(plain)) return plain;
  const escaped = plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/**
 * Escapes a path for a systemd setting, in which specifiers are expanded and quotes are not
 * supported.
 */
const systemdPath = (path: string): string => path.replaceAll("%", "%%");

function systemdUnit({ command, folder }: Service, isRoot: boolean): string {
  const line = command.map(systemdWord).join(" ");
  return `[Unit]
Description=svc: hosting platform and edge
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
NotifyAccess=all
ExecStart=${line}
# systemctl reload applies the program and flags of this file without dropping requests
ExecReload=${line} --replace --background
WorkingDirectory=${systemdPath(folder)}
# Secrets belong here: SVC_BOT_TOKEN, SVC_SMTP_URL, SVC_METRICS_TOKEN
EnvironmentFile=-${isRoot ? "/etc/svc/serve.env" : "%h/.config/svc/serve.env"}
Environment=SVC_NO_UPDATE_CHECK=1
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
LimitNOFILE=65536
# Servers, functions and builds get their own control groups with memory limits
Delegate=yes

[Install]
WantedBy=${isRoot ? "multi-user.target" : "default.target"}
`;
}

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const LABEL = "svc.serve";

function launchdList({ command, folder }: Service, logs: string): string {
  const words = command.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(folder)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>SVC_NO_UPDATE_CHECK</key>
    <string>1</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>${OPEN_FILES_OF_MACOS}</integer>
  </dict>
  <key>StandardErrorPath</key>
  <string>${xml(logs)}</string>
</dict>
</plist>
`;
}

/** Generates the service file, or returns `undefined` on unsupported systems. */
export function serviceFile(
  service: Service,
  { os, isRoot, home }: ServicePlace,
): ServiceFile | undefined {
  if (os === "linux") {
    const folder = isRoot ? "/etc/systemd/system" : join(home, ".config", "systemd", "user");
    const systemctl = isRoot ? "systemctl" : "systemctl --user";
    return {
      path: join(folder, "svc.service"),
      text: systemdUnit(service, isRoot),
      next: [
        `${systemctl} daemon-reload`,
        `${systemctl} enable --now svc`,
        ...(isRoot ? [] : ["loginctl enable-linger"]),
      ],
    };
  }
  if (os !== "darwin") return undefined;
  const library = isRoot ? "/Library" : join(home, "Library");
  const path = join(library, isRoot ? "LaunchDaemons" : "LaunchAgents", `${LABEL}.plist`);
  return {
    path,
    text: launchdList(service, join(library, "Logs", "svc.log")),
    next: [`launchctl bootstrap ${isRoot ? "system" : "gui/$(id -u)"} ${shellWord(path)}`],
  };
}

/** An installed service, and how to replace its program. */
interface ServiceRestart {
  /** Path of the service file. */
  readonly path: string;
  readonly command: string;
}

/** Returns the command that restarts a service, or `undefined` on unsupported systems. */
export function serviceRestart(place: ServicePlace): ServiceRestart | undefined {
  const found = serviceFile({ command: [""], folder: "/" }, place);
  if (found === undefined) return undefined;
  const { path } = found;
  if (place.os === "linux") {
    return { path, command: `systemctl ${place.isRoot ? "" : "--user "}reload svc` };
  }
  const domain = place.isRoot ? "system" : "gui/$(id -u)";
  return { path, command: `launchctl kickstart -k ${domain}/${LABEL}` };
}

/** Returns true if a service file starts the program at `path`. */
export function startsProgram(text: string, path: string): boolean {
  return text.split("\n").some((line) =>
    line === `    <string>${xml(path)}</string>` ||
    `${line} `.startsWith(`ExecStart=${systemdWord(path)} `)
  );
}
