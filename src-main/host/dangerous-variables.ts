/** Variables of the environment under which no key is sent anywhere: they are dropped, and it is said. */

const dangerous = ["NODE_TLS_REJECT_UNAUTHORIZED", "SSLKEYLOGFILE"];

export function dropDangerousVariables(env: NodeJS.ProcessEnv, tell: (line: string) => void): void {
  for (const name of dangerous) {
    if (env[name] === undefined) continue;
    delete env[name];
    tell(`${name} is ignored: it would weaken the encryption of your keys on their way.`);
  }
}
