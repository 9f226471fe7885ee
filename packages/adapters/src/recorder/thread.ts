import { parentPort, workerData } from 'node:worker_threads';
import type { CaptureMessage } from '@jackfield/media';
import { returnStartMemory } from '@jackfield/media/start-memory';
import { createOpenRecordings } from './open-recordings.ts';
import type { FromRecorderThread, RecorderThreadData, ToRecorderThread } from './recorder-messages.ts';

/** The recorder thread: encodes and writes, so that neither calls nor the frame loop wait for a disk. */
if (parentPort === null) throw new Error('the recorder thread is started as a worker');
const parent = parentPort;
const report = (message: FromRecorderThread): void => parent.postMessage(message);
const recordings = await createOpenRecordings({ ...(workerData as RecorderThreadData), report });

parent.on('message', (message: ToRecorderThread) => {
  switch (message.type) {
    case 'captures':
      message.port.on('message', (capture: CaptureMessage) => recordings.take(capture));
      return;
    case 'open':
      return recordings.open(message.recording, message.format, message.channels);
    case 'finish':
      return recordings.finish(message.recording, message.waitMs);
    case 'stats': {
      const { user, system } = process.threadCpuUsage();
      const stats = { ...recordings.stats(), cpuMs: (user + system) / 1000 };
      report({ type: 'stats', id: message.id, stats });
    }
  }
});
returnStartMemory();
report({ type: 'ready' });
