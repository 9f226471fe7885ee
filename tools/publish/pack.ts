import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build-package.ts';
import { packBundle } from './pack-bundle.ts';
import { packOnce } from './pack-once.ts';
import { packPackage } from './pack-package.ts';
import { packServer } from './pack-server.ts';

/** Libraries that are of use without the platform, after those that they import. */
const libraries = ['sip', 'sdp', 'contract', 'stream-kit', 'hosted-sdk', 'voice-sdk'];
/** For customers' tests, with the platform inside. */
const testing = 'testing';
/** The server, as the package `jackfield`. */
const server = 'jackfield';

const publishable = [...libraries, testing, server];
const { positionals: requested, values } = commandLine();
const unknown = requested.filter((name) => !publishable.includes(name));
if (unknown.length > 0) refuse(`${unknown.join(', ')} is not published`);
const into = resolve(values.into);
/** Of one run of the tests, several of which pack the same packages. */
const shared = process.env.TEST_PACKAGES;
for (const name of requested.length === 0 ? publishable : requested) {
  const tarball =
    shared === undefined
      ? await packOne(name, into)
      : await packOnce(name, { into, shared, pack: () => packOne(name, shared) });
  process.stdout.write(`${tarball}\n`);
}

function commandLine() {
  const options = { into: { type: 'string', default: join(root, 'dist') } } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}: npm run pack -- [--into <directory>] [${publishable.join('] [')}]\n`);
  process.exit(2);
}

async function packOne(name: string, directory: string): Promise<string> {
  if (name === server) return packServer(directory);
  return name === testing ? packBundle(name, directory) : packPackage(name, directory);
}
