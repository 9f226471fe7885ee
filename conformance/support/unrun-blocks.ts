/** A block of a page that no test runs, by its first line, and why. */
export interface UnrunBlock {
  readonly page: string;
  readonly begins: string;
  readonly reason: string;
}

/** Each block that is marked `not-run`, and no other. */
export const unrunBlocks: readonly UnrunBlock[] = [
  {
    page: 'docs/operate/kubernetes.md',
    begins: 'kubectl label node',
    reason:
      'needs a cluster of Kubernetes, of which Debian has the client alone; apps/server/src/deploy-files.test.ts reads its names and variables, and the objects',
  },
];
