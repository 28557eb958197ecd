/** The entry without Electron. The umask comes before anything that could make a file is even loaded. */
process.umask(0o077);
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`Ownkey needs Node 24 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
const { main } = await import("./host/cli/main.ts");
process.exitCode = await main(process.argv.slice(2));
