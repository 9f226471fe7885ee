import { join } from 'node:path';
import { packPackage } from './pack-package.ts';

/** Packages that are of use without the platform, after those that they import. */
const publishable = ['sip', 'sdp', 'contract', 'stream-kit', 'hosted-sdk'];

const root = join(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !publishable.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')} is not published; what is: ${publishable.join(', ')}\n`);
  process.exit(2);
}
for (const name of wanted.length === 0 ? publishable : wanted) {
  process.stdout.write(`${packPackage(name, join(root, 'dist'))}\n`);
}
