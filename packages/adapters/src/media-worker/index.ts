export { returnStartMemory } from '@jackfield/media/start-memory';
export { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from './media-worker.ts';
export { createMediaPool, type MediaPool } from './pool/media-pool.ts';
export type { MediaPoolOptions } from './pool/pool-workers.ts';
export type { StreamCounters, StreamLimits } from './streams/stream-messages.ts';
export type { ThreadPriority } from './thread-priority.ts';
export { wideClip } from './wide-clip.ts';
