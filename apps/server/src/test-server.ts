import { endProcess } from './end-process.ts';

/** Worlds for tests over HTTP, until a signal ends the process. The package is no dependency of the server: it is for tests alone. */
export async function runTestServer(options: {
  readonly port: number;
  readonly host: string;
}): Promise<void> {
  const testing = await import('@jackfield/testing').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      'jackfield test-server needs the package @jackfield/testing beside it: npm install --save-dev jackfield-testing-<version>.tgz\n',
    );
    endProcess(1);
  });
  try {
    const server = await testing.startTestServer(options);
    process.stdout.write(`Worlds for tests: POST ${server.url}/worlds\n`);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => void server.close().then(() => endProcess(0)));
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    endProcess(1);
  }
}
