#!/usr/bin/env node
// deno-lint-ignore-file no-console -- a separate program

// Starts the svc program of this platform, which npm installed next to this package.
const { spawn } = require("node:child_process");

const name = `svc-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "svc.exe" : "svc";

let program;
try {
  program = require.resolve(`${name}/${file}`);
} catch {
  console.error(`svc: the package ${name} is missing: install svc again, with optional packages`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// The svc program decides how to handle a signal. A terminal sends Ctrl-C to both processes.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`svc: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) return process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
