export { returnStartMemory } from '@jackfield/media/io';
export { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from './media-worker.ts';
export { openNativeCiphers } from './native-ciphers.ts';
export { createMediaPool, type MediaPool } from './pool/media-pool.ts';
export type { MediaPoolOptions } from './pool/pool-workers.ts';
export type { StreamCounters, StreamLimits } from './streams/stream-messages.ts';
export type { ThreadPriority } from './thread-priority.ts';
