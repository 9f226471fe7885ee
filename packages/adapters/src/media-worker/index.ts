export { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from './media-worker.ts';
