import { readFileSync } from 'node:fs';
import { createMediaWorker } from '../media-worker.ts';

/** A process that exits while koffi defines its functions in the media thread: as soon as the library is mapped. */
void createMediaWorker({ host: '127.0.0.1', ports: { first: 8000, last: 8003 } });
while (!readFileSync('/proc/self/maps', 'utf8').includes('koffi.node'));
process.exit(7);
