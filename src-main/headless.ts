/** The entry without Electron. The umask comes before anything that could make a file is even loaded. */
process.umask(0o077);
const { main } = await import("./host/cli/main.ts");
process.exitCode = await main(process.argv.slice(2));
