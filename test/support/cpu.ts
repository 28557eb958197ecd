/** What work costs this process in CPU time, in ms: unlike the clock it hardly depends on what else the machine does. */
export function cpuMs(work: () => unknown): number {
  const done = cpuFromHere();
  work();
  return done();
}

/** For work that waits: nothing else may be done here meanwhile. */
export function cpuFromHere(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
