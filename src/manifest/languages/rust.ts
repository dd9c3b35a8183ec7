/** @module Rust: a package's binary, and the folders that it can read. */
import { BUILT, firstThere, programPlacements, quote, readToml, tableOf } from "./parts.ts";
import type { Language } from "./types.ts";

const PROGRAM = "svc-server";

/** The folder in which the build keeps compiled code for the project's later builds. */
const TARGET = '"${CARGO_TARGET_DIR:-target}"';

type Table = Readonly<Record<string, unknown>>;

/** Returns the name of the binary that `cargo run` would start. */
function binaryOf(manifest: Table): string | undefined {
  const { name, "default-run": chosen } = tableOf(manifest, "package");
  if (typeof chosen === "string") return chosen;
  const bins = Array.isArray(manifest.bin) ? manifest.bin as readonly Table[] : [];
  const names = bins.map((bin) => bin.name).filter((each) => typeof each === "string");
  if (names.length > 0 && !names.includes(String(name))) return names[0];
  return typeof name === "string" ? name : undefined;
}

export const rust: Language = {
  id: "rust",
  name: "Rust",
  files: ["Cargo.toml"],
  async plan(reader) {
    const manifest = await readToml(reader, "Cargo.toml");
    if (manifest === undefined) return undefined;
    const binary = binaryOf(manifest);
    const source = await firstThere(reader, ["src/main.rs", "src/bin"]);
    const isProgram = source !== undefined || manifest.bin !== undefined;
    if (binary === undefined || !isProgram) return undefined;
    const locked = await reader.exists("Cargo.lock") ? " --locked" : "";
    const output = `${BUILT}/${PROGRAM}`;
    return {
      reason: `Cargo.toml describes the program ${binary}`,
      toolchains: ["rust"],
      build: `cargo build --release${locked} --bin ${quote(binary)} --target-dir ${TARGET} && ` +
        `mkdir -p ${BUILT} && cp ${TARGET}/release/${quote(binary)} ${output}`,
      start: `exec ./${PROGRAM}`,
      entry: PROGRAM,
      placements: programPlacements(output, PROGRAM),
    };
  },
};
