import { glob } from 'node:fs/promises';

const folders = ['packages', 'apps', 'tools', 'conformance', 'benchmarks', 'examples'];

export interface TestChoice {
  /** Files whose path contains one of these; all when empty. */
  readonly parts: readonly string[];
  /** Leaves out what starts processes, talks over real sockets for long, or walks at random. */
  readonly isQuick: boolean;
}

/** The test files of the workspace below `root`, sorted; relative paths. */
export async function findTests(root: string, { parts, isQuick }: TestChoice): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of glob(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist|data)$/.test(name) },
  )) {
    paths.push(path.replaceAll('\\', '/'));
  }
  return paths
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .filter((path) => !isQuick || !isSlow(path))
    .sort();
}

/** Files that take more than 15 s each (`npm test` names the slowest ones): their tests wait for real time, or attack for long. */
export const slowFiles: readonly string[] = [
  'apps/server/src/verify-attack/verify-attack.test.ts',
  'packages/platform/src/features/verify/wrong-guesses.test.ts',
  'packages/stream-kit/src/check/check-server.test.ts',
];

/** Files whose tests need a process to themselves: they count its memory, handles or signals, measure its time, or wait for long. Those on three nodes import other test files. */
export const ownProcess: readonly string[] = [
  'apps/server/src/verify-attack/verify-attack.test.ts',
  'conformance/simulated/hearing-on-three-nodes.test.ts',
  'conformance/simulated/on-three-nodes.test.ts',
  'conformance/simulated/restart-on-three-nodes.test.ts',
  'conformance/simulated/webhooks-on-three-nodes.test.ts',
  'packages/adapters/src/media-worker/dtls/open-dtls.test.ts',
  'packages/adapters/src/media-worker/media-worker.test.ts',
  'packages/adapters/src/media-worker/streams/stream-connection.test.ts',
  'packages/adapters/src/media-worker/streams/streams.test.ts',
  'packages/adapters/src/media-worker/webrtc-leg.test.ts',
  'packages/adapters/src/recorder/recorder.test.ts',
  'packages/adapters/src/sound-decoder/decoder-memory.test.ts',
  'packages/adapters/src/speech-espeak/espeak-speech.test.ts',
  'packages/media/src/engine/relay.test.ts',
  'packages/media/src/io/io.test.ts',
  'packages/media/src/io/return-start-memory.test.ts',
  'packages/platform/src/features/live-events/create-live-events.test.ts',
  'packages/platform/src/features/recordings/routes.test.ts',
  'packages/platform/src/features/verify/wrong-guesses.test.ts',
  'packages/platform/src/http/request-queue.test.ts',
  'packages/sip/src/message/cost.test.ts',
  'packages/sip/src/transport/transports.test.ts',
  'packages/stream-kit/src/check/check-server.test.ts',
  'packages/testkit/src/noise-cancellation.test.ts',
  'tools/publish/pack-package.test.ts',
];

/** Files that run before all others, with the machine to themselves: pages of Chromium that call side by side use all of two cores, and hear gaps on fewer. */
export const ownMachine: readonly string[] = [
  'conformance/browser-calls.test.ts',
  'conformance/browser-sdk.test.ts',
];

/** Conformance starts real programs, walks and fuzz tests make thousands of runs: seconds each. */
function isSlow(path: string): boolean {
  return path.startsWith('conformance/') || /\.(walk|fuzz)\.test\.ts$/.test(path) || slowFiles.includes(path);
}
