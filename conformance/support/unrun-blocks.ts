/** A block of a page that no test runs, by its first line, and why. */
export interface UnrunBlock {
  readonly page: string;
  readonly begins: string;
  readonly reason: string;
}

const officialSdk =
  'the official SDK of this language is in no package registry that CI reaches: the block is written from its sources';
const needsSystemd =
  'needs systemd as the first process of the machine; conformance/deploy.test.ts has it read the unit';

/** Each block that is marked `not-run`, and no other. */
export const unrunBlocks: readonly UnrunBlock[] = [
  {
    page: 'docs/benchmarks.md',
    begins: 'npm run bench',
    reason: 'an hour, whose figures need an idle machine',
  },
  {
    page: 'docs/operate/containers.md',
    begins: 'cp deploy/.env.example deploy/.env',
    reason: 'the images of PostgreSQL and the proxy are in a registry',
  },
  {
    page: 'docs/operate/kubernetes.md',
    begins: 'kubectl label node',
    reason: 'needs a cluster of Kubernetes',
  },
  {
    page: 'docs/operate/cluster.md',
    begins: 'export JACKFIELD_DATABASE_URL=',
    reason:
      'needs PostgreSQL and NATS at fixed ports; conformance/cluster.test.ts starts such nodes at free ones',
  },
  { page: 'docs/operate/tls.md', begins: 'systemctl reload', reason: needsSystemd },
  { page: 'docs/operate/systemd.md', begins: 'install -D -m 0644', reason: needsSystemd },
  ...['class JackfieldClient', 'class JackfieldHandler', 'HttpUrl', 'var api'].map((begins) => ({
    page: 'docs/guides/hosted-sdks.md',
    begins,
    reason: officialSdk,
  })),
];
