import { join } from 'node:path';
import { root } from './build-package.ts';
import { packPackage } from './pack-package.ts';
import { packServer } from './pack-server.ts';

/** Libraries that are of use without the platform, after those that they import. */
const libraries = ['sip', 'sdp', 'contract', 'stream-kit', 'hosted-sdk', 'voice-sdk'];
/** The server, as the package `jackfield`. */
const server = 'jackfield';

const publishable = [...libraries, server];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !publishable.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')} is not published; what is: ${publishable.join(', ')}\n`);
  process.exit(2);
}
const into = join(root, 'dist');
for (const name of wanted.length === 0 ? publishable : wanted) {
  process.stdout.write(`${name === server ? packServer(into) : packPackage(name, into)}\n`);
}
