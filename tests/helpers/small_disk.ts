/** A small disk for tests to fill. */

/** Mounts an in-memory disk. Returns `undefined` if this user is not allowed to mount disks. */
export async function mountDisk(
  path: string,
  megabytes = 16,
): Promise<AsyncDisposable | undefined> {
  const run = (program: string, ...args: string[]) =>
    new Deno.Command(program, { args, stderr: "null" }).output().then(
      (o) => o.success,
      () => false,
    );
  await Deno.mkdir(path, { recursive: true });
  const size = `size=${megabytes}m`;
  if (!await run("mount", "-t", "tmpfs", "-o", size, "tmpfs", path)) return undefined;
  return { [Symbol.asyncDispose]: async () => void await run("umount", "--lazy", path) };
}

/** Fills every byte of a disk. */
export async function fill(path: string): Promise<void> {
  for (const size of [64 * 1024, 4096, 1]) {
    using file = await Deno.open(path, { append: true, create: true });
    const piece = new Uint8Array(size);
    while (await file.write(piece).then(() => true, () => false)) { /* until nothing fits */ }
  }
}
